"""A run whose worker has filed experiments, findings and effects through the real store."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.core.measurement import Experiment, Measurement
from agents.core.proposal import MemoryOperation
from agents.core.study import StudyProtocol
from agents.core.tools import EffectClass
from agents.models import Run
from agents.store.book import OrmFindingBook
from agents.store.ledger import OrmLedger
from tests.support import do, journal_of, make_run, take


def examine(*words: str) -> list[dict[str, Any]]:
    """Return the remarks of ``doctor`` that are not simply fine."""
    return [remark for remark in summary(*words)["remarks"] if remark["level"] != "ok"]


def summary(*words: str) -> dict[str, Any]:
    """Return what ``doctor --json`` prints; its exit code must say the same."""
    out = io.StringIO()
    try:
        call_command("doctor", *words, "--json", stdout=out)
        code = 0
    except CommandError as error:
        code = error.returncode
    found: dict[str, Any] = json.loads(out.getvalue())
    assert code == (0 if found["is_sound"] else 1)
    return found


async def one_result() -> dict[str, Any]:
    return {"success": True, "data": {"mass": 0.5}}


@pytest.fixture
def run(db) -> Run:
    made = make_run()
    lease = take(made)
    protocol = StudyProtocol.model_validate(made.protocol)
    ledger, book, journal = OrmLedger(lease, protocol), OrmFindingBook(lease, protocol), journal_of(lease)
    for number in (1, 2):
        do(
            journal.once,
            f"{number}/act/weigh",
            one_result,
            effect=EffectClass.LOCAL,
            request={"dose": number},
        )
        row = Experiment(
            id="",
            planned={"dose": number},
            round=number,
            measurements=[Measurement(objective="mass", value=number / 10, unit="g")],
        )
        do(ledger.file, row, key=f"{number}/experiment", prediction={"objective": "mass", "mean": 0.3})
    add = MemoryOperation(op="add", text="More dose gives more mass.", evidence=[1])
    do(book.apply, [add], round=1, key="1/reflect")
    revise = MemoryOperation(op="revise", finding="F1", text="Mass is a tenth of the dose.", reason="closer")
    do(book.apply, [revise], round=2, key="2/reflect")
    return Run.objects.get(pk=made.pk)
