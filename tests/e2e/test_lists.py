"""Several experiments in one review, in a real browser: read, edit one, leave one out, and see each filed."""

from typing import Any

import pytest

from tests.e2e.conftest import Site, sign_in, start_run

pytestmark = pytest.mark.e2e

THREE_AT_ONCE = "from agents.models import Study; Study.objects.update(batch=3)"


@pytest.fixture(scope="module")
def page(site: Site, browser: Any) -> Any:
    """A browser on a site whose studies ask for three experiments at once."""
    site.manage("shell", "-c", THREE_AT_ONCE)
    return sign_in(browser, site)


def test_a_list_is_reviewed_step_by_step_and_each_step_is_filed(page):
    run = start_run(page)
    page.wait_for_selector("text=List of 3 actions")
    assert page.locator("[data-review] .item").count() == 3
    page.keyboard.press("e")
    page.wait_for_selector("[name='keep.3']")
    page.uncheck("[name='keep.2']")
    page.click("button[value=edit]")
    page.wait_for_selector("text=Round 1 done", state="attached")
    page.goto(f"{run}data/")
    rows = page.locator("tbody tr")
    page.wait_for_selector("tbody tr")
    assert rows.count() == 2
