"""Reviews whose time is over: the outcome that their policy declares, never an approval."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.core.canonical import digest_of
from agents.core.gates import VERDICTS, Answer, GateKind, Verdict
from agents.models import Event, Gate, Run
from agents.services import pause_run
from agents.services.gates import action_of
from agents.store.log import append, lock_run
from reviews.models import Review, Role
from reviews.services.recording import record, said_by
from reviews.signals import review_changed

BY = "deadline"
UNANSWERED = "unanswered"
"""Why a run is paused after two vetoes by deadline in a row: it would go on proposing to nobody."""


def apply_due(*, now: datetime | None = None, limit: int = 50) -> int:
    """Apply the declared outcome to at most ``limit`` reviews that are due, the longest overdue first.

    Reads by an index of what is open and has a deadline: what it costs grows with what is due, not with what there
    is. Safe to run in several processes at once: each review is taken under its run's lock.
    """
    now = now or timezone.now()
    due = Review.objects.filter(status=Review.Status.OPEN, due_at__lte=now).order_by("due_at")
    return sum(_apply(pk, now) for pk in list(due.values_list("pk", flat=True)[:limit]))


@transaction.atomic
def _apply(pk: Any, now: datetime) -> bool:
    run = lock_run(Review.objects.values_list("run_id", flat=True).get(pk=pk))
    gate = Gate.objects.select_for_update().get(pk=pk)
    review = Review.objects.select_for_update().get(pk=pk)
    if gate.status != Gate.Status.OPEN or review.due_at is None or review.due_at > now:
        return False
    outcome = _outcome(gate, review)
    hours = (review.due_at - review.opened_at).total_seconds() / 3600
    review.due_at = None
    review.save(update_fields=["due_at"])
    payload = {"gate": gate.key, "outcome": outcome, "hours": round(hours, 4)}
    append(run, "deadline.passed", payload, round=gate.round, key=f"{gate.key}/deadline")
    if outcome == "veto":
        is_second = _vetoed_last(run)
        _veto(gate, review, hours)
        if is_second:
            pause_run(run.pk, by=BY, why=UNANSWERED)
    elif outcome == "pause":
        pause_run(run.pk, by=BY)
    else:
        review.needs_role, review.assigned_to, review.escalated_at = Role.OWNER, None, now
        review.save(update_fields=["needs_role", "assigned_to", "escalated_at"])
        append(run, "review.escalated", {"gate": gate.key, "by": BY}, round=gate.round)
    review_changed.send(
        sender=Review, review=review, what="escalated" if outcome == "escalate" else "deadline", by=None
    )
    return True


def _vetoed_last(run: Run) -> bool:
    """True when the review before was vetoed by its deadline too, and nobody has resumed the run since."""
    answered = Event.objects.filter(run=run, kind__in=("review.decided", "run.resumed")).order_by("-seq")
    last = answered.values_list("kind", "payload__by").first()
    return last == ("review.decided", BY)


def _outcome(gate: Gate, review: Review) -> str:
    """Return what is done: whatever is not known, or not possible at this gate, pauses the run."""
    if review.on_deadline == "veto":
        return "veto" if Verdict.VETO in VERDICTS[GateKind(gate.kind)] else "pause"
    return review.on_deadline if review.on_deadline in ("escalate", "pause") else "pause"


def _veto(gate: Gate, review: Review, hours: float) -> None:
    action = action_of(gate)
    answer = Answer(
        verdict=Verdict.VETO,
        by=BY,
        source=f"deadline: veto after {hours:g} h",
        at=timezone.now().isoformat(),
        reason_code="other",
        note="Nobody answered in time.",
        action=action,
        action_digest=digest_of(action.model_dump(mode="json")) if action else "",
        review_id=str(gate.pk),
        opinions=said_by(list(review.opinions.all())),
    )
    record(gate, answer, user=None, role="", channel=BY)
