"""The first look: sign in, the sample run, every kind of decision, the end, the exports."""

import re
from typing import Any

import pytest

from tests.e2e.conftest import Site, sign_in, start_run

pytestmark = pytest.mark.e2e

CORNER = {"base": "CsOPiv", "ligand": "PPhMe2", "solvent": "p-Xylene", "temperature": "90"}
"""Conditions that nothing proposes by itself: the runs of a study share what they have measured."""


def round_of(page: Any) -> int:
    """Return the round of the open card."""
    found = re.search(r"Round (\d+)", page.inner_text("[data-review] .review-head"))
    assert found
    return int(found[1])


def next_round(page: Any, before: int) -> None:
    """Wait until a later round's card is there."""
    page.wait_for_function(
        """before => {
            const card = document.querySelector("[data-review]:not(.is-closed) .review-head");
            const found = card && card.innerText.match(/Round (\\d+)/);
            return found && Number(found[1]) > before;
        }""",
        arg=before,
        timeout=30_000,
    )


def rows(page: Any) -> list[str]:
    """Return the event rows as a person reads them, newest first."""
    script = (
        "all => all.map(row => row.dataset.seq + ' ' + row.querySelector('.event-body').innerText.trim())"
    )
    return list(page.eval_on_selector_all("#stream [data-seq]", script))


def test_a_researcher_takes_a_run_from_its_first_review_to_its_report(site: Site, browser: Any):
    page = sign_in(browser, site)
    page.wait_for_selector("[data-review]", timeout=60_000)
    start_run(page)

    for _ in range(2):
        before = round_of(page)
        page.keyboard.press("a")
        next_round(page, before)

    before = round_of(page)
    page.keyboard.press("e")
    page.wait_for_selector(".review-form")
    page.fill("[name=hypothesis]", "Caesium pivalate gives the best yield.")
    for factor, level in CORNER.items():
        page.select_option(f"[name='arg.{factor}']", level)
    page.click("button[value=edit]")
    next_round(page, before)

    before = round_of(page)
    page.keyboard.press("v")
    page.wait_for_selector(".review-form")
    page.click("label[for=reason-too_costly]")
    page.fill(".review-form [name=note]", "Not this ligand, we have none left.")
    page.click("button[value=veto]")
    next_round(page, before)

    before = round_of(page)
    page.keyboard.press("m")
    page.wait_for_selector(".review-form")
    page.fill("[name='res.measurements.yield.value']", "61.5")
    page.fill("[name='res.measurements.yield.uncertainty']", "1.2")
    page.click("button[value=answer]")
    next_round(page, before)

    page.click("text=Change the budget…")
    page.fill("[name=experiments]", "5")
    page.click("button:has-text('Change the budget')")
    before = round_of(page)
    page.wait_for_selector("#connection[data-state=live]")
    page.keyboard.press("a")
    page.wait_for_selector("text=The run has finished.", timeout=60_000)

    live = rows(page)
    page.reload()
    reloaded = rows(page)
    assert live[: len(reloaded)] == reloaded

    page.click("nav.tabs >> text=Report")
    for kind, start in (
        ("HTML", b"<!doctype html>"),
        ("Markdown", b"# "),
        ("CSV", b""),
        ("JSON Lines", b'{"run"'),
    ):
        with page.expect_download() as download:
            page.click(f".report-exports >> text={kind}")
        content = download.value.path().read_bytes()
        assert content.startswith(start)
        assert b"CsOPiv" in content
    assert page.faults == []
