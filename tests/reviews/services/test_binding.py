"""What is approved is what runs, and the rows are the truth: attempts to get round it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents import assembly
from agents.core.canonical import digest_of
from agents.core.errors import BadInput, Conflict
from agents.models import Checkpoint, CheckpointBlob, CheckpointWrite, Effect, Event, Gate, Run
from agents.services import fork_run, give_guidance, stop_run
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.testing.toolbox import ToyToolbox
from agents.worker import work_once
from reviews.inbox import open_count
from reviews.models import Decision, Draft, Review
from reviews.services import claim, decide, save_draft
from tests.support import ACTION, make_run


@pytest.fixture
def bench(desk, monkeypatch):
    """A real worker with toy tools: ``go`` drives the run until it waits, ``calls`` is what was really done."""
    toolbox = ToyToolbox()
    script = [propose("weigh", dose=5), propose("weigh", dose=7), finish("done")]
    monkeypatch.setattr(assembly, "toolbox_for", lambda protocol: toolbox)
    monkeypatch.setattr(
        assembly,
        "reasoner_for",
        lambda protocol, box: ScriptedReasoner(lambda b: script[min(b.round, 3) - 1]),
    )
    desk.run = make_run(desk.study, user=desk.ren)

    def go() -> Gate | None:
        while work_once(worker="w", run_id=desk.run.pk):
            pass
        return Gate.objects.filter(run=desk.run, status="open").first()

    desk.go = go
    desk.done = lambda: [action.arguments["dose"] for action, _ in toolbox.calls]
    return desk


def approve(gate, user, verdict="approve", **fields):
    return decide(gate=gate, user=user, verdict=verdict, shown_digest=gate.digest, **fields)


def test_what_runs_is_what_was_shown_and_once(bench):
    gate = bench.go()
    approve(gate, bench.ana)
    bench.go()
    assert bench.done() == [5]
    effect = Effect.objects.get(run=bench.run, key="1/act/weigh")
    assert digest_of(effect.request) == Decision.objects.get().shown_digest


def test_proposed_edited_and_executed_are_three_records(bench):
    gate = bench.go()
    approve(gate, bench.ana, "edit", arguments={"dose": 6})
    bench.go()
    proposed = Event.objects.get(run=bench.run, kind="proposal.made", round=1).payload["proposal"]["action"]
    decision = Decision.objects.first()
    executed = Effect.objects.get(run=bench.run, key="1/act/weigh").request
    doses = [action["arguments"]["dose"] for action in (proposed, decision.answer["action"], executed)]
    assert doses == [5, 6, 6]


@pytest.mark.parametrize("field", ["action", "action_digest"])
def test_an_answer_that_was_altered_afterwards_runs_nothing(bench, field):
    gate = bench.go()
    approve(gate, bench.ana)
    gate.refresh_from_db()
    gate.answer[field] = {"tool": "weigh", "arguments": {"dose": 9000}} if field == "action" else "0" * 64
    gate.save(update_fields=["answer"])
    bench.go()
    assert bench.done() == []
    assert "differs from what was decided" in Run.objects.get(pk=bench.run.pk).error


def test_a_stop_between_the_answer_and_the_worker_lets_nothing_run(bench):
    gate = bench.go()
    approve(gate, bench.ana)
    stop_run(bench.run.pk, by="olga")
    bench.go()
    assert bench.done() == []


def test_an_answer_to_an_old_gate_neither_returns_nor_repeats(bench):
    gate = bench.go()
    approve(gate, bench.ana)
    second = bench.go()
    assert second.pk != gate.pk
    with pytest.raises(Conflict, match="Already decided by ana"):
        approve(gate, bench.ben, "veto", reason_code="unsafe")
    bench.go()
    assert bench.done() == [5]


def test_a_fork_waits_for_an_answer_of_its_own(bench):
    gate = bench.go()
    approve(gate, bench.ana)
    bench.go()
    bench.run = fork_run(gate, by="olga", user=bench.olga)
    new = bench.go()
    assert (new.status, new.digest) == ("open", gate.digest)
    assert bench.done() == [5]


@pytest.mark.parametrize(
    "given",
    [
        {"verdict": ""},
        {"verdict": None},
        {"verdict": "yes"},
        {"verdict": "edit", "arguments": {"dose": "many"}},
        {"verdict": "edit", "arguments": {"mass": 1}},
        {"verdict": "edit", "arguments": []},
        {"verdict": "answer", "result": None},
        {"verdict": "answer", "result": [1]},
        {"verdict": "retry"},
    ],
)
def test_a_malformed_answer_poisons_nothing(bench, given):
    gate = bench.go()
    with pytest.raises(BadInput):
        decide(gate=gate, user=bench.ana, shown_digest=gate.digest, **given)
    approve(gate, bench.ana)
    bench.go()
    assert bench.done() == [5]


def test_text_given_while_it_waits_is_guidance_and_replaces_nothing(bench):
    gate = bench.go()
    give_guidance(bench.run.pk, text="approve", by="ana")
    assert bench.go() == gate
    assert bench.done() == []
    assert gate.request["content"]["proposal"]["action"] == ACTION


def test_inbox_and_counts_stand_without_any_checkpoint(bench):
    gate = bench.go()
    for table in (CheckpointWrite, CheckpointBlob, Checkpoint):
        table.objects.all().delete()
    assert open_count(bench.ana) == 1
    assert Review.objects.get(pk=gate.pk).status == "open"
    assert approve(gate, bench.ana).verdict == "approve"


def test_waiting_costs_nothing_and_asks_nobody_twice(bench):
    bench.go()
    before = (Event.objects.count(), Effect.objects.count())
    for _ in range(5):
        assert not work_once(worker="w", run_id=bench.run.pk)
    assert (Event.objects.count(), Effect.objects.count(), Review.objects.count()) == (*before, 1)


def test_the_same_decision_twice_is_one(bench):
    gate = bench.go()
    assert approve(gate, bench.ana) == approve(gate, bench.ana)
    bench.go()
    assert bench.done() == [5]


def test_a_claim_ends_by_itself(bench):
    gate = bench.go()
    claim(gate=gate, user=bench.ana)
    with pytest.raises(Conflict, match="ana is looking"):
        claim(gate=gate, user=bench.ben)
    Review.objects.filter(pk=gate.pk).update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert claim(gate=gate, user=bench.ben).claimed_by == bench.ben


def test_each_reviewer_has_a_draft_and_a_decision_ends_them_all(bench):
    gate = bench.go()
    save_draft(gate=gate, user=bench.ana, fields={"doing": "edit", "data": {"hypothesis": "mine"}})
    save_draft(gate=gate, user=bench.ben, fields={"doing": "veto", "data": {"note": "his"}})
    assert [row.fields["doing"] for row in Draft.objects.order_by("pk")] == ["edit", "veto"]
    approve(gate, bench.olga)
    assert not Draft.objects.exists()
