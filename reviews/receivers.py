"""What happens on this side when the engine opens or closes a gate, inside its transaction."""

import logging
from typing import Any

from django.db import InterfaceError, OperationalError
from django.dispatch import receiver

from agents.core.gates import GateKind
from agents.models import Gate, RememberedApproval, Run
from agents.signals import (
    approval_changed,
    clock_ticked,
    gate_closed,
    gate_opened,
    run_ended,
    run_nudged,
    work_queued,
)
from agents.store import trouble
from reviews.bench.tasks import start_task
from reviews.doorbell import ring
from reviews.models import Notice, RecordEntry, Review
from reviews.notify.posting import post_in_background
from reviews.notify.telling import settle, tell_end, tell_of
from reviews.opening import new_review
from reviews.reading import read_in_background
from reviews.record.entries import record_row
from reviews.services import apply_due, relieve_absent
from reviews.signals import review_changed

log = logging.getLogger("daybook.desk")


@receiver(gate_opened, sender=Gate)
def open_review(gate: Gate, **_: Any) -> None:
    """Put the request before people."""
    review = new_review(gate)
    review.save(force_insert=True)
    tell_of(review, Notice.Kind.OPENED)
    if gate.kind == GateKind.RESULT:
        start_task(gate)


@receiver(gate_closed, sender=Gate)
def close_review(gate: Gate, **_: Any) -> None:
    """Take the request away."""
    decided = gate.status == Gate.Status.ANSWERED
    status = Review.Status.DECIDED if decided else Review.Status.CANCELLED
    Review.objects.filter(gate=gate).update(status=status, claimed_by=None, claimed_until=None)
    settle(gate.pk)


@receiver(approval_changed, sender=RememberedApproval)
def record_approval(approval: RememberedApproval, **_: Any) -> None:
    """Bind an approval that is remembered, and its end, to the record of the run."""
    kind = RecordEntry.Kind.REVOCATION if approval.revoked_at else RecordEntry.Kind.APPROVAL
    record_row(kind, approval)


@receiver(review_changed, sender=Review)
def tell_people(review: Review, what: str, by: Any = None, **_: Any) -> None:
    """Tell those whom a change of a review concerns."""
    tell_of(review, what, by=by)


@receiver(run_ended, sender=Run)
def tell_starter(run: Run, **_: Any) -> None:
    """Tell who started a run that it has ended."""
    tell_end(run, run.state.get("outcome") or run.error or str(run.status))


@receiver(run_nudged, sender=Run)
def nudge(run_id: Any, **_: Any) -> None:
    """Tell open pages of the run that there is news."""
    ring(str(run_id))


@receiver(work_queued)
def call_workers(run_id: Any, **_: Any) -> None:
    """Tell the workers of this process, or the queue, that there may be work."""
    from agents.dispatch import dispatch

    dispatch(run_id)


@receiver(clock_ticked)
def look_at_the_clock(**_: Any) -> None:
    """Apply deadlines that have passed, hand on what belongs to people who are away, send messages that are due."""
    try:
        apply_due()
        relieve_absent()
        post_in_background()
        read_in_background()
    except (OperationalError, InterfaceError) as fault:
        trouble.note(fault)
    except Exception:
        log.exception("what is due by the clock was not done; it is tried again")
