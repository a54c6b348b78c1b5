"""What a phone shows, in a real browser: nothing squeezed until nobody can read it."""

from typing import Any

import pytest

from tests.e2e.conftest import Site, sign_in, start_run

pytestmark = pytest.mark.e2e

LETTERS = "all => Math.min(...all.map(one => one.getBoundingClientRect().height))"


@pytest.fixture(scope="module")
def page(site: Site, browser: Any) -> Any:
    return sign_in(browser, site)


def test_drawings_stay_readable_on_a_phone(page):
    run = start_run(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{run}graph/")
    assert page.locator(".graph .node text").evaluate_all(LETTERS) > 9
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
