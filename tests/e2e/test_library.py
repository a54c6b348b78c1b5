"""The findings library in a real browser: withdraw, merge, take elsewhere; also without JavaScript and on a phone."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.conftest import Site, sign_in

pytestmark = pytest.mark.e2e
TEXTS = (
    "Caesium pivalate gives the best yield in DMAc",
    "Caesium pivalate gives the highest yield in DMAc",
    "Stirring hardly matters",
)
SEED = f"""
from django.db import transaction
from agents.core.findings import Finding
from agents.models import Run
from agents.store.findings import add_row
from agents.store.log import append, lock_run
run = Run.objects.order_by("created_at").first()
with transaction.atomic():
    run = lock_run(run.pk)
    for text in {TEXTS!r}:
        add_row(run, Finding(id="", study_id=str(run.study_id), text=text, round=1, evidence=[dict(round=1, stance="for")]))
    for number in range(1, 9):
        call = dict(role="reason", model="m", prompt_tokens=900, cached_tokens=500, completion_tokens=50, sections=dict(goal=40))
        append(run, "model.called", call, round=number)
print(run.pk)
"""


@pytest.fixture(scope="module")
def run(site: Site) -> str:
    return site.manage("shell", "-c", SEED).split()[-1]


@pytest.fixture(scope="module")
def page(site: Site, browser: Any, run: str) -> Any:
    """A phone without JavaScript: everything here is a form."""
    return sign_in(browser, site, java_script_enabled=False, viewport={"width": 390, "height": 844})


def open_finding(page: Any, text: str) -> None:
    page.goto("/findings/")
    page.click(f".row-link:has-text('{text}') >> text=evidence")


def test_two_that_say_the_same_are_merged(page):
    open_finding(page, TEXTS[0])
    assert "May say the same" in page.inner_text("main")
    page.click("summary:has-text('Replace or merge')")
    page.click(f"label:has-text('{TEXTS[1]}')")
    page.fill("#why-pair", "The same thing in two words.")
    page.click("button:has-text('Merge it into this')")
    assert "with the evidence of both" in page.inner_text("body")
    page.goto("/findings/?status=superseded")
    assert TEXTS[1] in page.inner_text("main")


def test_what_is_withdrawn_is_gone_from_search_and_from_the_next_prompt(page, run):
    def prompt() -> str:
        page.goto(f"/runs/{run}/memory/")
        return str(page.inner_html("#next-prompt"))

    assert TEXTS[2] in prompt()
    open_finding(page, TEXTS[2])
    page.click("summary:has-text('Withdraw')")
    page.fill("#why-retract", "The stirrer was off.")
    page.click("button:has-text('Withdraw this finding')")
    assert "The stirrer was off." in page.inner_text("main")
    assert TEXTS[2] not in prompt()
    page.goto("/findings/?q=stirring")
    assert TEXTS[2] not in page.inner_text("main")
    page.goto("/findings/?status=retracted")
    assert TEXTS[2] in page.inner_text("main")


def test_findings_go_out_and_come_into_another_study_to_wait(page, site, tmp_path):
    file = tmp_path / "findings.json"
    site.manage("findings", "export", "--status", "active", "--to", str(file))
    page.goto("/findings/import/")
    names = page.eval_on_selector_all("[name=study] option", "all => all.map(one => one.value)")
    here = next(name for name in names if "arylation" not in name)
    page.select_option("[name=study]", here)
    page.set_input_files("[name=file]", str(file))
    page.click("button:has-text('Import')")
    assert "wait for a review" in page.inner_text("body")
    page.click(f".row-link:has-text('{TEXTS[0]}') >> text=evidence")
    page.click("button:has-text('Accept as a finding')")
    assert "was accepted" in page.inner_text("body")


def test_nothing_is_wider_than_a_phone_and_axe_has_no_serious_remark(site, browser, run):
    page = sign_in(browser, site, viewport={"width": 390, "height": 844})
    open_finding(page, TEXTS[0])
    for address in (
        page.url,
        "/findings/?sure=0.1",
        "/findings/import/",
        f"/runs/{run}/memory/",
        "/settings/",
    ):
        page.goto(address)
        page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
        remarks = Axe().run(page).response["violations"]
        assert [each["id"] for each in remarks if each["impact"] in ("serious", "critical")] == [], address
