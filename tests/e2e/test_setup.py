"""A study of one's own, set up in the browser: what is typed is saved, or said not to be."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import ROOT, Site, sign_in

pytestmark = pytest.mark.e2e
PAPER = ROOT / "examples" / "oil_extraction" / "paper.pdf"


@pytest.fixture(scope="module")
def page(site: Site, browser: Any) -> Any:
    return sign_in(browser, site)


@pytest.fixture
def setup(page: Any) -> Any:
    """The set-up page of a new study."""
    page.goto("/studies/new/")
    page.fill("[name=title]", "My own")
    page.click("main .btn-primary")
    page.wait_for_url("**/setup/")
    return page


def test_what_does_not_fit_is_said_beside_it_and_nothing_starts(setup):
    setup.fill("[name=goal]", "Find the best temperature.")
    setup.locator("[name=goal]").blur()
    setup.wait_for_selector("#saved-question:has-text('saved')")
    row = {"p-0-name": "temperature", "p-0-low": "9", "p-0-high": "3"}
    setup.select_option("[name=p-0-kind]", "continuous")
    for name, value in row.items():
        setup.fill(f"[name={name}]", value)
    setup.locator("[name=p-0-high]").blur()
    setup.wait_for_selector("#saved-space:has-text('must be below')")
    setup.wait_for_selector("#start-bar:has-text('could not be saved')")
    assert setup.input_value("[name=p-0-low]") == "9"
    setup.fill("[name=p-0-high]", "30")
    setup.locator("[name=p-0-high]").blur()
    setup.wait_for_selector("#start-bar:not(:has-text('could not be saved'))")
    assert setup.faults == []


def test_the_runs_that_a_paper_prints_become_past_experiments(setup):
    setup.set_input_files("#doc-file", PAPER)
    offer = setup.locator("form:has-text('Table 4 prints 8 runs')")
    offer.wait_for(timeout=60_000)
    offer.locator("button").click()
    setup.wait_for_selector("h3:has-text('Table 4 of paper.pdf.csv')")
    setup.set_viewport_size({"width": 390, "height": 844})
    assert setup.evaluate("document.documentElement.scrollWidth") <= 390
    setup.set_viewport_size({"width": 1440, "height": 900})
    assert setup.input_value("[name$=-name][value='Essential oil yield, aerial part']")


def test_a_refused_upload_is_said_once_and_leaves_the_items_alone(setup, tmp_path: Path):
    setup.set_input_files("#doc-file", PAPER)
    setup.wait_for_selector(".item-row:visible", timeout=60_000)
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    setup.set_input_files("#set-file", empty)
    setup.wait_for_selector("#source-list [role=alert]")
    assert setup.locator("details.item-edit[open]").count() == 0
    assert setup.locator("#source-list [role=alert]").count() == 1
