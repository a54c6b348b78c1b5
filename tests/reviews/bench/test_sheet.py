"""The sheet that goes to the bench: everything needed there, and nothing that a browser would run or fetch."""

import re

import pytest

from agents.models import Gate
from reviews.bench.sheet import qr_code, sheet_page, sheets_of
from reviews.bench.tasks import set_task, waiting_tasks
from tests.reviews.views.conftest import proposal_content

pytestmark = pytest.mark.django_db


def sheets(bench, **filters):
    return sheets_of(
        waiting_tasks(bench.ana, **filters), link=lambda gate: f"https://lab.example/reviews/{gate.pk}/"
    )


def propose(gate: Gate, **changes) -> None:
    """Give the task the proposal that led to it."""
    Gate.objects.create(
        run=gate.run, key="1/review", kind="proposal", round=1, status="answered", digest=gate.digest,
        request={"content": proposal_content(**changes)}, answer={}, opened_at=gate.opened_at,
    )  # fmt: skip


def test_a_sheet_holds_conditions_hypothesis_instructions_and_blanks(bench):
    propose(bench.cold)
    set_task(gate=bench.cold, user=bench.ana, assignee="olga", instructions="Under argon.")
    page = sheet_page(sheets(bench), layout="each")
    for shown in (
        "KOAc is enough",
        "Under argon.",
        "For olga",
        "Temperature",
        "80 °C",
        "Yield (%)",
        "Uncertainty",
    ):
        assert shown in page
    assert page.count('<section class="sheet">') == 2


def test_what_is_expected_is_not_told_at_the_bench(bench):
    propose(bench.cold)
    assert "42.1" not in sheet_page(sheets(bench), layout="each")


def test_an_edited_hypothesis_is_the_one_that_is_printed(bench):
    propose(bench.cold)
    Gate.objects.filter(run=bench.cold.run, key="1/review").update(answer={"hypothesis": {"text": "Edited."}})
    page = sheet_page(sheets(bench), layout="each")
    assert "Edited." in page
    assert "KOAc is enough" not in page


def test_a_table_has_one_row_a_task(bench):
    page = sheet_page(sheets(bench), layout="table")
    assert page.count('<td class="qr">') == 2
    assert page.count("<section") == 1


def test_texts_of_a_reasoner_stay_text(bench):
    propose(bench.cold, hypothesis={"text": "<script>alert(1)</script>"})
    page = sheet_page(sheets(bench), layout="each")
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_a_file_needs_nothing_from_elsewhere(bench):
    page = sheet_page(sheets(bench), layout="each")
    assert "default-src 'none'" in page
    assert re.search(r'(src|href)="(?!#)', page) is None


def test_a_code_is_drawn_without_styles_scripts_or_anything_to_load():
    code = qr_code("https://lab.example/reviews/1/?a=<b>&c='d'")
    assert code.startswith("<svg")
    assert "viewBox" in code
    assert not any(word in code for word in ("style=", "<script", "href", "lab.example"))


def test_what_is_not_on_the_sheets_is_said(bench):
    assert "3 more tasks wait" in sheet_page(sheets(bench), layout="each", waiting=5)
    assert "more task" not in sheet_page(sheets(bench), layout="each", waiting=2)


def test_the_cost_does_not_grow_with_the_number_of_sheets(bench, django_assert_num_queries):
    with django_assert_num_queries(2):
        sheets(bench)
