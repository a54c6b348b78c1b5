"""Changes of a run's status: each one a compare-and-swap with its event in one transaction."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from agents.core.errors import Fenced
from agents.core.lifecycle import ENDED, RunStatus, check_transition
from agents.models import Gate, Run
from agents.signals import gate_closed, run_ended, work_queued
from agents.store.lease import Lease
from agents.store.log import append
from agents.store.rows import read, save

LONGEST_WAIT = 60.0
LONGEST_ASKED = 600.0


def move(run: Run, new: RunStatus, **fields: Any) -> None:
    """Move the locked ``run`` to ``new`` with further ``fields``; raise ``IllegalTransition`` when it may not."""
    check_transition(RunStatus(run.status), new)
    run.status = new
    fields = {"status": new, **fields}
    if new is not RunStatus.RUNNING:
        fields = {"lease_owner": "", "lease_until": None, **fields}
    if new in ENDED:
        fields = {"ended_at": timezone.now(), "wish": "", "wait": {}, **fields}
    if new is RunStatus.QUEUED:
        fields = {"wait": {}, "ended_at": None, **fields}
        transaction.on_commit(lambda: work_queued.send(sender=Run, run_id=run.pk))
    for name, value in fields.items():
        setattr(run, name, value)
    save(run, fields)
    if new in ENDED and new is not RunStatus.CANCELLED:
        run_ended.send(sender=Run, run=run)


def cancel_gates(run: Run, *, by: str) -> None:
    """Close every open gate of the locked run as cancelled; later answers find it closed."""
    for gate in Gate.objects.filter(run=run, status=Gate.Status.OPEN):
        gate.status, gate.answered_at = Gate.Status.CANCELLED, timezone.now()
        gate.save(update_fields=["status", "answered_at"])
        append(run, "review.cancelled", {"gate": gate.key, "by": by}, round=gate.round)
        gate_closed.send(sender=Gate, gate=gate)


def cancel(run: Run, *, by: str) -> None:
    """Stop the locked run for good."""
    cancel_gates(run, by=by)
    append(run, "run.stopped", {"by": by})
    append(run, "run.finished", {"outcome": f"stopped by {by}", "status": "cancelled"})
    move(run, RunStatus.CANCELLED)


def pause(run: Run, *, by: str, why: str = "") -> None:
    """Set the locked run aside until it is resumed; open gates stay open. ``why`` is a code that pages put in words."""
    said = {"by": by, "why": why} if why else {"by": by}
    append(run, "run.paused", said)
    move(run, RunStatus.PAUSED, wish="", wait=said)


def park(lease: Lease, *, gate_key: str) -> str:
    """Give the run back while it waits at ``gate_key``: the lease ends here. Returns the new status."""
    with lease.writing(fresh=True) as run:
        gate = read(Gate, ("id", "status", "kind", "request"), run_id=run.pk, key=gate_key)
        assert gate is not None, f"run {run.pk} waits at {gate_key}, which it opened"
        if run.wish:
            obey(run)
        elif gate.status == Gate.Status.OPEN:
            move(
                run,
                RunStatus.WAITING,
                wait={"gate": gate_key, "kind": gate.kind, "title": gate.request["title"]},
            )
        else:
            move(run, RunStatus.QUEUED)
        return str(run.status)


def obey(run: Run) -> None:
    """Do to the locked run what a person asked while it ran."""
    by = run.wait.get("by", "")
    if run.wish == "stop":
        cancel(run, by=by)
    elif run.wish == "pause":
        pause(run, by=by, why=run.wait.get("why", ""))


def obey_wish(lease: Lease) -> str:
    """End the drive of a run that was asked to stop or pause. Returns the new status."""
    with lease.writing(fresh=True) as run:
        obey(run)
        return str(run.status)


def finish(lease: Lease, *, outcome: str, is_stopped: bool) -> str:
    """End the run: succeeded, or cancelled when a person's answer stopped it."""
    with lease.writing(fresh=True) as run:
        status = RunStatus.CANCELLED if is_stopped else RunStatus.SUCCEEDED
        append(run, "run.finished", {"outcome": outcome or "done", "status": str(status)}, key="finished")
        cancel_gates(run, by="run")
        move(run, status)
        return str(run.status)


def fail(lease: Lease, *, error: str) -> str:
    """End the run as failed with a sentence for people; it may be retried."""
    try:
        return _fail(lease, error=error)
    except (OperationalError, InterfaceError, Fenced):
        raise
    except Exception:
        # What is pending may be the very thing that cannot be stored.
        lease.pending.clear()
        return _fail(lease, error=error)


def _fail(lease: Lease, *, error: str) -> str:
    with lease.writing(fresh=True) as run:
        append(run, "run.failed", {"error": error})
        move(run, RunStatus.FAILED, error=error)
        return str(run.status)


def give_back(lease: Lease) -> str:
    """Queue the run again as it stands. Returns the new status."""
    with lease.writing(fresh=True) as run:
        if run.wish:
            obey(run)
        else:
            move(run, RunStatus.QUEUED)
        return str(run.status)


def put_off(lease: Lease, *, at_least: float = 0.0) -> float:
    """Queue the run again after a passing fault and return the seconds before it may be claimed.

    The wait doubles with each fault at the same place, from 1 s to a minute; ``at_least`` is what the
    outside asked for, honoured up to ten minutes.
    """
    with lease.writing(fresh=True) as run:
        if run.wish:
            obey(run)
            return 0.0
        times = run.crashes + 1 if run.crash_seq == run.seq else 1
        seconds = max(min(2.0 ** (times - 1), LONGEST_WAIT), min(at_least, LONGEST_ASKED))
        later = timezone.now() + timedelta(seconds=seconds)
        # Faults outside are counted only as far as the wait grows, so that they alone never fail a run.
        move(run, RunStatus.QUEUED, not_before=later, crashes=min(times, 7), crash_seq=run.seq)
        return seconds


def run_of(run_id: UUID | str) -> Run:
    """Return the run with its study."""
    return Run.objects.select_related("study").get(pk=run_id)
