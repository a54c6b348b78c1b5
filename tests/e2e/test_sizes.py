"""What a phone and a common desktop show, in a real browser: nothing squeezed, nothing left alone."""

from typing import Any

import pytest

from tests.e2e.conftest import Site, sign_in, start_run

pytestmark = pytest.mark.e2e

ROWS = "all => new Set(all.map(one => Math.round(one.getBoundingClientRect().top))).size"
LETTERS = "all => Math.min(...all.map(one => one.getBoundingClientRect().height))"


@pytest.fixture(scope="module")
def page(site: Site, browser: Any) -> Any:
    return sign_in(browser, site)


def test_buttons_stand_in_one_row_and_drawings_stay_readable_on_a_phone(page):
    run = start_run(page)
    assert page.locator(".review-actions .btn").evaluate_all(ROWS) == 1
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{run}graph/")
    assert page.locator(".graph .node text").evaluate_all(LETTERS) > 9
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
