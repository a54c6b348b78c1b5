"""Celery tasks of the distributed profile. A message only says "look at run X": the lease decides."""

from uuid import UUID

from celery import shared_task

from agents.signals import clock_ticked
from agents.store.lease import process_name
from agents.worker import work_once


@shared_task(name="agents.advance_run", ignore_result=True)
def advance_run(run_id: str) -> bool:
    """Advance the run until it waits or ends, when it may be claimed; safe to deliver twice."""
    return work_once(worker=f"{process_name()}:celery", run_id=UUID(run_id))


@shared_task(name="agents.sweep", ignore_result=True)
def sweep() -> int:
    """Take up what no message mentions: what is due by the clock, runs of lost workers, documents that wait."""
    clock_ticked.send_robust(sender=None)
    done = 0
    while work_once(worker=f"{process_name()}:celery"):
        done += 1
    return done
