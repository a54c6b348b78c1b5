"""Two runs with decisions, opinions and remembered approvals, and a way past what guards them."""

from types import SimpleNamespace

import pytest
from django.db import connection

from agents.models import Gate, Run
from agents.services import remember_approval, revoke_approval
from reviews.record import guards
from reviews.record.verifying import read_record
from reviews.services import decide
from tests.reviews.exports import stories


@pytest.fixture
def told(db) -> Run:
    """Return the run with three decisions; made before ``desk`` puts its toy tools in place."""
    return stories.whole_run()


@pytest.fixture
def kept(told, desk) -> SimpleNamespace:
    """Return ``told`` (three decisions of one person) and ``shared`` (two opinions, a decision, two approvals)."""
    gate = desk.gate(then="second")
    shared = Run.objects.get(pk=gate.run_id)
    remember_approval(
        shared.pk, tool="weigh", by="ana", user=desk.ana, predicate="dose <= 5", note="small ones"
    )
    revoke_approval(remember_approval(shared.pk, tool="weigh", by="ben", user=desk.ben).pk, by="olga")
    for user in (desk.ana, desk.ben):
        fresh = Gate.objects.select_related("run__study", "review").get(pk=gate.pk)
        decide(gate=fresh, user=user, verdict="approve", shown_digest=gate.digest, note=f"{user} agrees")
    guards.take_down()
    return SimpleNamespace(told=told, shared=shared, gate=gate, desk=desk)


def faults(run) -> list[str]:
    """Return what is wrong with the record of ``run``, as sentences."""
    return [fault.what for fault in read_record(run.pk).faults]


def execute(sql: str, values=()) -> None:
    """Run a statement past everything that Daybook guards."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
