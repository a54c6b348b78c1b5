"""A milestone review from the worker's drive to the next run: a model over HTTP, people at the gate, rows and log."""

import json

import pytest
from django.db import transaction

from agents.core.tools import Action
from agents.core.workflow import items_of
from agents.models import Event, Finding, Gate, Run
from agents.services import deliver, prepare_answer, retract_finding, start_run
from agents.store.audit import log_problems
from agents.testing import Say
from tests.support import log_of
from tests.workflows.conftest import call, finish, lab, say  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
MEMORY = [{"op": "add", "text": text} for text in ("CsOPiv is fast.", "CsOPiv is quick.", "CsOAc is fast.")]
RULE = "Caesium bases are fast."
TIDY = Say(
    json.dumps(
        {
            "operations": [
                {"op": "merge", "finding": "F1", "other": "F2", "reason": "They say the same."},
                {
                    "op": "distil",
                    "text": RULE,
                    "sources": ["F1", "F3"],
                    "scope": "DMAc",
                    "reason": "Both show it.",
                },
            ]
        }
    )
)
LOOK = call("convert_units", value=1, from_unit="g", to_unit="mg")
OTHER = call("convert_units", value=5, from_unit="m", to_unit="km")


def decide(run: Run, verdict: str = "approve", **given) -> Gate:
    gate = Gate.objects.get(run=run, status="open")
    answer = prepare_answer(gate, verdict=verdict, by="ana", **given)
    with transaction.atomic():
        deliver(gate, answer, shown_digest=gate.digest)
    return gate


@pytest.fixture
def reviewed(lab):  # noqa: F811
    """A run that waits at its milestone review, in round 2."""
    script = [say(action=LOOK, memory=MEMORY), TIDY, say(action=OTHER), finish("Done.")]
    run = lab.start(script, milestones=1)
    decide(run)
    return lab.drive(run)


def test_the_model_of_the_store_is_asked_once_and_its_list_is_a_review(reviewed):
    gate = Gate.objects.get(run=reviewed, status="open")
    items = items_of(Action.model_validate(gate.request["content"]["proposal"]["action"]))
    assert (gate.key, [item.tool for item in items]) == ("2/review", ["merge_findings", "distil_rule"])
    calls = Event.objects.filter(run=reviewed, kind="model.called").order_by("seq")
    assert [each.payload["role"] for each in calls] == ["reason", "refine"]
    assert reviewed.spent["calls"] == 2
    assert "milestone.reviewed" in log_of(reviewed)
    assert set(Finding.objects.values_list("status", "kind")) == {("active", "finding")}


def test_what_is_approved_is_done_once_and_the_rule_is_told_to_the_next_run(reviewed, lab):  # noqa: F811
    decide(reviewed)
    run = lab.drive(reviewed)
    assert log_problems(run.pk) == []
    rows = {row.text: row for row in Finding.objects.filter(run=run)}
    assert rows["CsOPiv is quick."].status == "superseded"
    assert rows["CsOPiv is quick."].replaced_by == str(rows["CsOPiv is fast."].pk)
    assert (rows[RULE].kind, rows[RULE].status, rows[RULE].scope) == ("rule", "active", "DMAc")
    assert f"(0.8) {RULE} [DMAc]" in json.dumps(lab.server.requests[-1]["messages"], ensure_ascii=False)

    retract_finding(rows[RULE].pk, by="ana", reason="too wide")
    later = start_run(run.study, by="ana")
    lab.drive(later)
    assert RULE not in json.dumps(lab.server.requests[-1]["messages"])


def test_one_item_may_be_left_out(reviewed, lab):  # noqa: F811
    gate = Gate.objects.get(run=reviewed, status="open")
    items = gate.request["content"]["proposal"]["action"]["arguments"]["items"]
    decide(reviewed, "edit", arguments={"items": items[:1]})
    lab.drive(reviewed)
    assert not Finding.objects.filter(kind="rule").exists()
    assert Finding.objects.filter(status="superseded").count() == 1


def test_without_a_person_a_rule_waits(lab):  # noqa: F811
    nothing = Say('{"operations": []}')
    script = [say(action=LOOK, memory=MEMORY), TIDY, say(action=OTHER), nothing, finish("Done.")]
    run = lab.start(script, milestones=1, policy="auto")
    assert run.status == "succeeded"
    rule = Finding.objects.get(kind="rule")
    assert (rule.status, rule.text) == ("unreviewed", RULE)
    # The run knows what it did, as a step; the next milestone review is told of the rule as not reviewed.
    told = [json.dumps(lab.server.requests[place]["messages"]) for place in range(2, 6)]
    assert f"rule (for 2, against 0, not reviewed) {RULE}" in told[1]
    assert not [text for text in told if "Rules from earlier runs" in text or f"(0.8) {RULE}" in text]

    later = start_run(run.study, by="ana")
    lab.drive(later)
    assert RULE not in json.dumps(lab.server.requests[6]["messages"])
