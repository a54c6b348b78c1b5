"""Deadlines: the declared outcome, by its own name, never an approval; and people who are away."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.core.canonical import digest_of
from agents.core.errors import BadInput, Conflict, Refused
from agents.core.gates import GateKind
from agents.models import Event, Gate, Run
from agents.services import pause_run, resume_run
from reviews.models import Absence, Decision, Handover, Review
from reviews.present import words
from reviews.services import apply_due, assign, decide, end_absence, relieve_absent, set_absence
from tests.reviews.conftest import ACTION, CONTENT
from tests.support import at_once, log_of, open_gate


def later(hours: float):
    return timezone.now() + timedelta(hours=hours)


def verdict(gate):
    gate.refresh_from_db()
    return (gate.answer or {}).get("verdict")


def test_the_deadline_counts_from_when_the_review_was_opened(desk):
    gate = desk.gate(deadline_hours=2, on_deadline="veto")
    review = Review.objects.get(pk=gate.pk)
    assert review.due_at == review.opened_at + timedelta(hours=2)
    assert apply_due(now=later(1.9)) == 0
    assert apply_due(now=later(2.1)) == 1


def test_a_veto_is_stored_as_the_deadlines(desk):
    gate = desk.gate(deadline_hours=2, on_deadline="veto")
    apply_due(now=later(3))
    decision = Decision.objects.get()
    assert (decision.verdict, decision.by, decision.user, decision.source) == (
        "veto",
        "deadline",
        None,
        "deadline: veto after 2 h",
    )
    assert log_of(gate.run)[-3:-1] == ["deadline.passed", "review.decided"]
    assert Run.objects.get(pk=gate.run_id).status == "queued"


def test_an_escalation_asks_an_owner_and_approves_nothing(desk):
    gate = desk.gate(deadline_hours=2)
    assign(gate=gate, user=desk.ana, to=desk.ben)
    apply_due(now=later(3))
    review = Review.objects.get(pk=gate.pk)
    assert (review.needs_role, review.assigned_to, review.due_at, verdict(gate)) == (
        "owner",
        None,
        None,
        None,
    )
    with pytest.raises(Refused):
        decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    assert decide(gate=gate, user=desk.olga, verdict="approve", shown_digest=gate.digest).by == "olga"


def test_a_pause_keeps_the_review_open(desk):
    gate = desk.gate(deadline_hours=2, on_deadline="pause")
    apply_due(now=later(3))
    assert (Run.objects.get(pk=gate.run_id).status, verdict(gate)) == ("paused", None)
    assert Event.objects.get(run=gate.run, kind="run.paused").payload["by"] == "deadline"
    assert apply_due(now=later(9)) == 0


@pytest.mark.parametrize("stored", ["approve", "", "nonsense"])
def test_an_outcome_that_is_none_pauses(desk, stored):
    gate = desk.gate(deadline_hours=2)
    Review.objects.filter(pk=gate.pk).update(on_deadline=stored)
    apply_due(now=later(3))
    assert (Run.objects.get(pk=gate.run_id).status, verdict(gate)) == ("paused", None)


def test_what_cannot_be_vetoed_is_paused(desk):
    gate = desk.gate(deadline_hours=2, on_deadline="veto")
    Gate.objects.filter(pk=gate.pk).update(kind=GateKind.OUTCOME)
    apply_due(now=later(3))
    assert (Run.objects.get(pk=gate.run_id).status, verdict(gate)) == ("paused", None)


def test_the_table_sets_it_for_what_no_rule_covers(desk):
    gate = desk.gate(table={"deadline_hours": 5, "on_deadline": "veto"})
    assert Review.objects.get(pk=gate.pk).due_at == gate.opened_at + timedelta(hours=5)


def test_a_decided_review_is_not_due(desk):
    gate = desk.gate(deadline_hours=2, on_deadline="veto")
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    assert apply_due(now=later(3)) == 0
    assert verdict(gate) == "approve"


def test_what_the_first_of_two_said_is_kept_beside_the_deadlines_veto(desk):
    gate = desk.gate(then="second", deadline_hours=2, on_deadline="veto")
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    apply_due(now=later(3))
    assert [row["by"] for row in Decision.objects.get().answer["opinions"]] == ["ana"]


@pytest.mark.django_db(transaction=True)
def test_an_answer_and_the_deadline_at_once_make_one_decision(desk):
    for _ in range(6):
        gate = desk.gate(deadline_hours=2, on_deadline="veto")
        results = at_once(
            lambda g=gate: decide(gate=g, user=desk.ana, verdict="approve", shown_digest=g.digest),
            lambda: apply_due(now=later(3)),
        )
        assert not [r for r in results if isinstance(r, Exception) and not isinstance(r, Conflict)], results
        assert Decision.objects.filter(review_id=gate.pk).count() == 1


def test_the_job_reads_what_is_due_and_not_what_there_is(desk):
    due = desk.gate(deadline_hours=1)
    for _ in range(6):
        desk.gate(deadline_hours=50)
    with CaptureQueriesContext(
        connection,
    ) as few:
        assert apply_due(now=later(0.5)) == 0
    assert len(few) == 1
    plan = Review.objects.filter(status="open", due_at__lte=later(2)).order_by("due_at").explain()
    assert "review_due" in plan
    with CaptureQueriesContext(connection) as one:
        assert apply_due(now=later(2)) == 1
    assert Review.objects.get(pk=due.pk).escalated_at
    for _ in range(3):
        desk.gate(deadline_hours=1)
    with CaptureQueriesContext(connection) as three:
        assert apply_due(now=later(2)) == 3
    assert len(three) - 1 == 3 * (len(one) - 1)


# Assignment and absence


def test_a_review_is_given_on_with_a_note(desk):
    gate = desk.gate()
    assign(gate=gate, user=desk.ana, to=desk.ben, note="you know this dryer")
    review = Review.objects.get(pk=gate.pk)
    row = Handover.objects.get()
    assert (review.assigned_to, row.by, row.to_name, row.note) == (
        desk.ben,
        "ana",
        "ben",
        "you know this dryer",
    )
    assert Event.objects.get(run=gate.run, kind="review.assigned").payload["to"] == "ben"
    assign(gate=gate, user=desk.ana, to=desk.ben)
    assert Handover.objects.count() == 1
    assign(gate=gate, user=desk.ben, to=None)
    assert Handover.objects.count() == 2


def test_it_is_given_only_to_people_who_may_decide_it(desk):
    gate = desk.gate(role="owner", then="review")
    for person in (desk.ren, desk.vic, desk.ana):
        with pytest.raises(BadInput, match="needs the role owner"):
            assign(gate=gate, user=desk.olga, to=person)
    with pytest.raises(Refused):
        assign(gate=gate, user=desk.ren, to=desk.olga)


def test_a_closed_review_is_given_to_nobody(desk):
    gate = desk.gate()
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    with pytest.raises(Conflict):
        assign(gate=gate, user=desk.ana, to=desk.ben)


def test_what_belongs_to_somebody_who_is_away_goes_to_the_deputy(desk):
    gate = desk.gate()
    assign(gate=gate, user=desk.olga, to=desk.ana)
    set_absence(user=desk.ana, starts=later(1), ends=later(5), deputy=desk.ben)
    assert relieve_absent() == 0
    assert relieve_absent(now=later(2)) == 1
    assert Review.objects.get(pk=gate.pk).assigned_to == desk.ben
    assert Handover.objects.last().note == "ana is away"
    assert relieve_absent(now=later(2)) == 0


@pytest.mark.parametrize("deputy", ["nobody", "vic", "ben"])
def test_without_a_deputy_who_is_there_and_may_it_goes_to_everybody(desk, deputy):
    gate = desk.gate()
    assign(gate=gate, user=desk.olga, to=desk.ana)
    set_absence(user=desk.ana, starts=later(-1), ends=later(5), deputy=getattr(desk, deputy, None))
    if deputy == "ben":
        set_absence(user=desk.ben, starts=later(-1), ends=later(5))
    assert relieve_absent() == 1
    assert Review.objects.get(pk=gate.pk).assigned_to is None


def test_nothing_is_given_to_somebody_who_is_away(desk):
    gate = desk.gate()
    set_absence(user=desk.ben, starts=later(-1), ends=later(5), deputy=desk.ana)
    with pytest.raises(BadInput, match=r"ben is away until .*ana stands in"):
        assign(gate=gate, user=desk.ana, to=desk.ben)


@pytest.mark.parametrize(("starts", "ends"), [(2, 1), (-5, -1)])
def test_an_absence_lies_ahead_and_has_a_length(desk, starts, ends):
    with pytest.raises(BadInput):
        set_absence(user=desk.ana, starts=later(starts), ends=later(ends))


def test_absences_do_not_overlap_and_one_is_back_earlier(desk):
    row = set_absence(user=desk.ana, starts=later(-1), ends=later(5))
    with pytest.raises(BadInput, match="another absence"):
        set_absence(user=desk.ana, starts=later(1), ends=later(2))
    with pytest.raises(Conflict):
        end_absence(user=desk.ben, absence_id=row.pk)
    end_absence(user=desk.ana, absence_id=row.pk)
    assert Absence.objects.get().ends <= timezone.now()


# Two unanswered reviews in a row


def ask_again(run, number: int) -> Gate:
    run.refresh_from_db()
    return open_gate(run, key=f"{number}/review", round=number, content=CONTENT, digest=digest_of(ACTION))


def test_two_vetoes_by_deadline_in_a_row_pause_the_run_and_say_why(desk):
    run = desk.gate(deadline_hours=2, on_deadline="veto").run
    apply_due(now=later(3))
    assert Run.objects.get(pk=run.pk).status == "queued"
    second = ask_again(run, 2)
    apply_due(now=later(3))
    run.refresh_from_db()
    assert (verdict(second), run.status, run.wait["why"]) == ("veto", "paused", "unanswered")
    assert "went unanswered" in str(words.label(words.PAUSES, run.wait["why"]))


@pytest.mark.parametrize("between", ["answered", "resumed"])
def test_a_person_in_between_begins_the_count_anew(desk, between):
    run = desk.gate(deadline_hours=2, on_deadline="veto").run
    apply_due(now=later(3))
    if between == "answered":
        gate = ask_again(run, 2)
        decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    else:
        pause_run(run.pk, by="ana")
        resume_run(run.pk, by="ana")
    ask_again(run, 3)
    apply_due(now=later(3))
    assert Run.objects.get(pk=run.pk).status == "queued"
