"""What happens on this side when the engine opens or closes a gate, inside its transaction."""

from typing import Any

from django.dispatch import receiver

from agents.core.gates import GateKind
from agents.models import Gate, Run
from agents.signals import gate_closed, gate_opened, run_nudged, work_queued
from reviews.bench.tasks import start_task
from reviews.doorbell import ring
from reviews.models import Review


@receiver(gate_opened, sender=Gate)
def open_review(gate: Gate, **_: Any) -> None:
    """Put the request before people."""
    Review.objects.create(
        gate=gate,
        run=gate.run,
        title=gate.request["title"],
        risk=gate.request["risk"],
        cost=gate.request["cost"],
        opened_at=gate.opened_at,
    )
    if gate.kind == GateKind.RESULT:
        start_task(gate)


@receiver(gate_closed, sender=Gate)
def close_review(gate: Gate, **_: Any) -> None:
    """Take the request away."""
    decided = gate.status == Gate.Status.ANSWERED
    status = Review.Status.DECIDED if decided else Review.Status.CANCELLED
    Review.objects.filter(gate=gate).update(status=status, claimed_by=None, claimed_until=None)


@receiver(run_nudged, sender=Run)
def nudge(run_id: Any, **_: Any) -> None:
    """Tell open pages of the run that there is news."""
    ring(str(run_id))


@receiver(work_queued)
def call_workers(run_id: Any, **_: Any) -> None:
    """Tell the workers of this process, or the queue, that there may be work."""
    from agents.dispatch import dispatch

    dispatch(run_id)
