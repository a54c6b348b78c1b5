"""A workbook is uploaded, a model asks for a picture of it, a person approves, and the picture is there to be seen."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from agents.testing.proposing import proposes
from agents.testing.serving import ModelServer
from tests.e2e.conftest import Site, end, serve, sign_in

pytestmark = pytest.mark.e2e

TABLE = "yields (Runs).csv"
PLOT = {"table": TABLE, "kind": "scatter", "x": "temperature", "y": "yield", "by": "base"}
READY = """
from agents.models import Study
Study.objects.filter(title="Pictures").update(goal="See how the yield grows.", reasoner="language_model")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site whose model asks for one plot."""
    with ModelServer(proposes([{"tool": "plot", "arguments": PLOT}])) as model:
        home = tmp_path_factory.mktemp("plots")
        served = serve(home, OPENAI_BASE_URL=model.base_url, OPENAI_API_KEY="x", DAYBOOK_MODEL="scripted")
        yield served
        end(served)


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    """A workbook whose first sheet is empty."""
    made = openpyxl.Workbook()
    sheet = made.create_sheet("Runs")
    sheet.append(["base", "temperature", "yield"])
    for number in range(12):
        sheet.append([("KOAc", "CsOPiv")[number % 2], 60 + 5 * number, 20.5 + 4 * number])
    made.save(tmp_path / "yields.xlsx")
    return tmp_path / "yields.xlsx"


def is_drawn(image: Any) -> bool:
    return bool(image.evaluate("async image => { await image.decode(); return image.naturalWidth > 200 }"))


def test_from_a_workbook_to_a_picture_in_the_run_and_the_report(site: Site, browser: Any, workbook: Path):
    page = sign_in(browser, site)
    page.goto("/studies/new/")
    page.fill("[name=title]", "Pictures")
    page.click("main .btn-primary")
    page.wait_for_url("**/setup/")
    page.select_option("#set-role", "reference")
    page.set_input_files("#set-file", workbook)
    page.wait_for_selector(f"#source-list:has-text('{TABLE}')", timeout=60_000)
    assert "12" in page.inner_text("#source-list")
    site.manage("shell", "-c", READY)
    page.goto("/studies/")
    page.click(".row-link:has-text('Pictures')")
    page.click("button:has-text('Start a run')")
    page.wait_for_selector("[data-review]:not(.is-closed)", timeout=120_000)
    assert TABLE in page.inner_text("[data-review]")
    page.click("button[value=approve]")
    drawn = page.locator(".event-picture img")
    drawn.wait_for(timeout=90_000)
    assert is_drawn(drawn)
    assert "yield against temperature" in drawn.get_attribute("alt")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.click("nav.tabs a:has-text('Report')")
    told = page.locator("main img").first
    told.wait_for()
    assert is_drawn(told)
    assert page.faults == []


def test_a_broken_workbook_is_refused_in_words_and_nothing_is_stored(
    site: Site, browser: Any, tmp_path: Path
):
    page = sign_in(browser, site)
    page.goto("/studies/new/")
    page.fill("[name=title]", "Broken")
    page.click("main .btn-primary")
    page.wait_for_url("**/setup/")
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 no workbook")
    page.set_input_files("#set-file", broken)
    page.wait_for_selector("#source-list [role=alert]:has-text('broken.xlsx')", timeout=60_000)
    assert page.locator("#source-list h3").count() == 0
    assert page.faults == []
