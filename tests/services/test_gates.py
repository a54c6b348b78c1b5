"""Answers to gates: checked, bound to what was shown, taken once, whoever else is at it."""

import os

import pytest
from django.db import transaction

from agents import wiring
from agents.core.errors import BadInput, Conflict
from agents.core.gates import GateKind
from agents.core.lifecycle import RunStatus
from agents.models import Event, Finding, Gate, Run
from agents.services import deliver, give_guidance, pause_run, prepare_answer, resume_run, stop_run
from agents.store.audit import log_problems
from agents.store.gates import ask_gate
from agents.store.log import lock_run
from agents.store.runs import park
from agents.testing.toolbox import ToyToolbox
from tests.support import (
    ACTION,
    DIGEST,
    answer_with,
    at_once,
    do,
    journal_of,
    log_of,
    make_run,
    open_gate,
    request_for,
    take,
)

pytestmark = pytest.mark.django_db
DELIVERIES = int(os.environ.get("DAYBOOK_SOAK", "200"))


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    monkeypatch.setattr(wiring, "toolbox_for", lambda protocol: ToyToolbox())


@pytest.fixture
def run() -> Run:
    return make_run()


@pytest.fixture
def gate(run) -> Gate:
    return open_gate(run)


def give(gate: Gate, verdict: str = "approve", by: str = "ana", **changes) -> Gate:
    with transaction.atomic():
        return deliver(gate, answer_with(verdict, by, **changes), shown_digest=gate.digest)


def status(run: Run) -> str:
    run.refresh_from_db()
    return run.status


# Preparing


def test_an_approval_carries_the_action_that_was_shown(gate):
    answer = prepare_answer(gate, verdict="approve", by="ana")
    assert answer.action.model_dump() == ACTION
    assert len(answer.action_digest) == 64


def test_an_edit_carries_the_edited_action_and_another_digest(gate):
    shown = prepare_answer(gate, verdict="approve", by="ana")
    edited = prepare_answer(gate, verdict="edit", by="ana", arguments={"dose": 7})
    assert edited.action.arguments == {"dose": 7}
    assert edited.action_digest != shown.action_digest


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"verdict": "not_happened"}, "cannot be answered with 'not_happened'"),
        ({"verdict": "nonsense"}, "choose one of approve, edit, answer, veto, stop"),
        ({"verdict": "veto"}, "Choose a reason"),
        ({"verdict": "veto", "reason_code": "bored"}, "Choose a reason"),
        ({"verdict": "approve", "note": "x" * 4001}, "4001 characters"),
        ({"verdict": "edit", "arguments": {"dosis": 7}}, "weigh takes dose"),
        ({"verdict": "edit", "arguments": {"dose": 7}, "hypothesis": {"text": ""}}, "text"),
        ({"verdict": "answer", "result": {}}, "say what weigh gave"),
    ],
)
def test_what_cannot_be_used_is_refused_and_the_gate_stays_open(gate, fields, message):
    with pytest.raises(BadInput, match=message):
        prepare_answer(gate, by="ana", **fields)
    gate.refresh_from_db()
    assert gate.status == "open"


# Delivering


def test_an_answer_queues_the_run(run, gate):
    assert status(run) == "waiting"
    give(gate)
    assert status(run) == "queued"
    assert log_of(run)[-1] == "review.decided"


def test_the_second_answer_hears_who_was_first(gate):
    give(gate, "approve", "ana")
    with pytest.raises(Conflict, match=r"Already decided by ana at .* UTC: approve"):
        give(gate, "veto", "ben", reason_code="unsafe")
    assert Event.objects.filter(run=gate.run, kind="review.decided").count() == 1


def test_what_was_decided_must_be_what_was_shown(run, gate):
    with pytest.raises(Conflict, match="changed while you were reading"), transaction.atomic():
        deliver(gate, answer_with("approve"), shown_digest="0" * 64)
    assert status(run) == "waiting"


def test_an_answer_that_is_rolled_back_was_never_given(run, gate):
    with transaction.atomic():
        deliver(gate, answer_with("approve"), shown_digest=gate.digest)
        transaction.set_rollback(True)
    gate.refresh_from_db()
    assert (gate.status, status(run)) == ("open", "waiting")


def test_a_worker_reads_the_answer_from_the_row(run, gate):
    give(gate, "veto", "ben", reason_code="unsafe", note="too hot")
    answer = do(journal_of(take(run)).ask, request_for())
    assert (answer.verdict, answer.by, answer.note) == ("veto", "ben", "too hot")


def test_a_veto_is_kept_as_negative_knowledge(run, gate):
    give(gate, "veto", "ben", reason_code="unsafe", note="too hot")
    finding = Finding.objects.get(run=run)
    assert finding.status == "vetoed"
    assert finding.text == "Vetoed: Weigh 5 mg. Reason: too hot"


def test_a_veto_of_the_end_reaches_the_reasoner_as_guidance(run):
    gate = open_gate(run, key="1/finish", kind=GateKind.FINISH, content={"answer": "done"})
    give(gate, "veto", "ben", reason_code="other", note="repeat it first")
    heard = do(journal_of(take(run)).guidance_after, 0)
    assert [item.text for item in heard] == ["Do not finish yet: repeat it first"]


def test_a_stop_by_an_answer_ends_the_run(run, gate):
    give(gate, "stop")
    assert status(run) == "cancelled"
    assert log_of(run)[-2:] == ["run.stopped", "run.finished"]


# Stop, pause and parking beside an answer


def test_a_stop_cancels_the_review_and_a_later_answer_changes_nothing(run, gate):
    stop_run(run.pk, by="ben")
    with pytest.raises(Conflict, match="cancelled"):
        give(gate)
    gate.refresh_from_db()
    assert (gate.status, gate.answer, status(run)) == ("cancelled", None, "cancelled")


def test_an_answer_during_a_pause_is_kept_and_the_run_goes_on_when_resumed(run, gate):
    pause_run(run.pk, by="ben")
    give(gate)
    assert status(run) == "paused"
    resume_run(run.pk, by="ben")
    assert status(run) == "queued"


def test_a_resumed_run_goes_back_to_its_open_gate(run, gate):
    pause_run(run.pk, by="ben")
    resume_run(run.pk, by="ben")
    run.refresh_from_db()
    assert (run.status, run.wait["gate"]) == ("waiting", "1/review")


def test_an_answer_before_the_worker_parks_is_not_waited_for(run):
    lease = take(run)
    do(journal_of(lease).ask, request_for())
    give(Gate.objects.get(run=run))
    assert status(run) == "running"
    assert park(lease, gate_key="1/review") == "queued"


def test_a_stop_by_an_answer_while_the_worker_drives_is_obeyed_when_it_parks(run):
    lease = take(run)
    do(journal_of(lease).ask, request_for())
    give(Gate.objects.get(run=run), "stop", "ben")
    assert park(lease, gate_key="1/review") == "cancelled"
    assert Event.objects.get(run=run, kind="run.stopped").payload == {"by": "ben"}


def test_guidance_while_a_review_is_open_decides_nothing(run, gate):
    give_guidance(run.pk, text="mind the pH", by="ana")
    gate.refresh_from_db()
    assert (gate.status, status(run)) == ("open", "waiting")


# At once


def winners(results: list) -> tuple[int, int]:
    for result in results:
        assert isinstance(result, Gate | Conflict), result
    return sum(isinstance(r, Gate) for r in results), sum(isinstance(r, Conflict) for r in results)


def test_of_two_answers_at_once_one_wins_every_time(transactional_db):
    run = make_run()
    take(run)
    with transaction.atomic():
        locked = lock_run(run.pk)
        for number in range(DELIVERIES):
            ask_gate(locked, request_for(f"{number}/review"))
    for number, gate in enumerate(Gate.objects.filter(run=run)):
        other = "veto" if number % 2 else "approve"
        results = at_once(
            lambda gate=gate: give(gate),
            lambda gate=gate, other=other: give(gate, other, "ben", reason_code="unsafe"),
        )
        assert winners(results) == (1, 1)
        loser = next(r for r in results if isinstance(r, Conflict))
        winner = next(r for r in results if isinstance(r, Gate))
        assert f"Already decided by {winner.answer['by']}" in str(loser)
    assert Event.objects.filter(run=run, kind="review.decided").count() == DELIVERIES
    assert log_problems(run.pk) == []


def test_an_answer_and_a_stop_at_once_leave_a_run_that_has_one_end(transactional_db):
    for _ in range(15):
        run = make_run()
        gate = open_gate(run)
        at_once(lambda gate=gate: give(gate), lambda run=run: stop_run(run.pk, by="ben"))
        assert status(run) == "cancelled"
        assert not Gate.objects.filter(run=run, status="open").exists()
        assert log_problems(run.pk) == []


def test_parking_and_an_answer_at_once_never_leave_an_answered_run_waiting(transactional_db):
    for _ in range(15):
        run = make_run()
        lease = take(run)
        do(journal_of(lease).ask, request_for())
        gate = Gate.objects.get(run=run)
        results = at_once(lambda gate=gate: give(gate), lambda lease=lease: park(lease, gate_key="1/review"))
        assert not [r for r in results if isinstance(r, Exception)]
        assert status(run) == RunStatus.QUEUED
        assert log_problems(run.pk) == []


def test_events_of_people_and_a_worker_at_once_are_dense(transactional_db):
    run = make_run()
    journal = journal_of(take(run))

    def work() -> None:
        for number in range(10):
            do(journal.emit, "round.started", {}, round=number)
            do(journal.think, f"on {number}")
            journal._said_at = 0.0

    guides = [lambda n=n: give_guidance(run.pk, text=f"word {n}", by="ana") for n in range(10)]
    results = at_once(work, *guides)
    assert not [r for r in results if isinstance(r, Exception)]
    run.refresh_from_db()
    assert run.seq == 22
    assert log_problems(run.pk) == []


def test_the_digest_of_the_tests_is_the_gates(gate):
    assert gate.digest == DIGEST
