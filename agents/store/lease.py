"""A worker's temporary right to drive one run: claimed, renewed and given back by compare-and-swap."""

import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import close_old_connections, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.core.errors import Fenced, Yielded
from agents.core.lifecycle import RunStatus
from agents.models import Run
from agents.store.log import append, lock_run

CRASH_LIMIT = 20
"""After so many lost workers in a row without any progress, the run fails and says so."""

MARGIN = 0.2
"""The share of a lease in which no effect is started any more."""


def process_name() -> str:
    """Return a name for this process that a later one on the same machine can check for life."""
    return f"{socket.gethostname()}:{os.getpid()}:{_start_of(os.getpid())}"


def _start_of(pid: int) -> str:
    """Return when process ``pid`` started (in clock ticks), or "" when it does not live or cannot be told."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def is_dead(owner: str) -> bool:
    """Return True when ``owner`` was a process of this machine that is gone for certain."""
    parts = owner.split(":")
    if len(parts) < 3 or parts[0] != socket.gethostname() or not parts[2] or not os.path.isdir("/proc/self"):
        return False
    return _start_of(int(parts[1])) != parts[2]


@dataclass
class Lease:
    """The right to drive ``run_id`` under ``epoch`` until ``until`` on this machine's monotonic clock."""

    run_id: UUID
    epoch: int
    seconds: float
    until: float
    is_lost: bool = False
    yields: Callable[[], bool] = field(default=lambda: False)
    """Says when this process is shutting down."""
    _stop: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise ``Fenced`` when the lease is lost or too near its end to start an effect."""
        if self.is_lost or time.monotonic() > self.until - self.seconds * MARGIN:
            raise Fenced(f"the lease on run {self.run_id} is over; nothing more is started here")

    def give_way(self) -> None:
        """Raise ``Yielded`` when this process is shutting down; asked before an effect is put in the ledger."""
        if self.yields():
            raise Yielded(f"run {self.run_id} is given back before its next effect")

    def renew(self) -> bool:
        """Extend the lease; False when another worker has the run."""
        asked = time.monotonic()
        until = timezone.now() + timedelta(seconds=self.seconds)
        mine = Run.objects.filter(pk=self.run_id, epoch=self.epoch, status=RunStatus.RUNNING)
        if not mine.update(lease_until=until):
            self.is_lost = True
            return False
        self.until = asked + self.seconds
        return True

    def keep(self) -> threading.Thread:
        """Renew in a thread apart from the work, until ``release``."""
        thread = threading.Thread(target=self._keep, name=f"lease-{self.run_id}", daemon=True)
        thread.start()
        return thread

    def _keep(self) -> None:
        while not self._stop.wait(self.seconds / 3):
            try:
                close_old_connections()
                if not self.renew():
                    break
            except Exception:  # noqa: S112  (a database that is away now may be back before the lease ends)
                continue
        connection.close()

    def release(self) -> None:
        """Stop renewing."""
        self._stop.set()


def _claimable() -> Q:
    now = timezone.now()
    ready = Q(status=RunStatus.QUEUED) & (Q(not_before=None) | Q(not_before__lte=now))
    return ready | Q(status=RunStatus.RUNNING, lease_until__lt=now)


def claim(*, worker: str, run_id: UUID | None = None, exclude: frozenset[UUID] = frozenset()) -> Lease | None:
    """Take the oldest run that is ready (or ``run_id``, when it is) and return the lease on it, or None.

    Of any number of workers that try at once, one gets it.
    """
    ready = Run.objects.filter(_claimable()).exclude(pk__in=exclude)
    if run_id is not None:
        ready = ready.filter(pk=run_id)
    for candidate in ready.order_by("created_at").values_list("pk", flat=True)[:5]:
        lease = _take(candidate, worker)
        if lease is not None:
            return lease
    return None


@transaction.atomic
def _take(run_id: UUID, worker: str) -> Lease | None:
    seconds = float(settings.DAYBOOK_LEASE_SECONDS)
    was_lost = Run.objects.filter(pk=run_id, status=RunStatus.RUNNING).exists()
    asked, now = time.monotonic(), timezone.now()
    taken = (
        Run.objects.filter(_claimable(), pk=run_id)
        .update(
            status=RunStatus.RUNNING,
            epoch=F("epoch") + 1,
            lease_owner=worker[:80],
            lease_until=now + timedelta(seconds=seconds),
            not_before=None,
            wait={},
        )
    )
    if not taken:
        return None
    run = lock_run(run_id)
    if run.started_at is None:
        Run.objects.filter(pk=run_id).update(started_at=now)
        append(run, "run.started", {})
    if was_lost and not _recover(run, worker):
        return None
    return Lease(run_id=run_id, epoch=run.epoch, seconds=seconds, until=asked + seconds)


def _recover(run: Run, worker: str) -> bool:
    run.crashes = run.crashes + 1 if run.crash_seq == run.seq else 1
    if run.crashes >= CRASH_LIMIT:
        error = f"The worker was lost {run.crashes} times at the same place. Read the server's log, then retry the run."
        append(run, "run.failed", {"error": error})
        fields = {"status": RunStatus.FAILED, "error": error, "ended_at": timezone.now(), "crashes": 0}
        Run.objects.filter(pk=run.pk).update(lease_owner="", lease_until=None, **fields)
        return False
    append(run, "run.recovered", {"worker": worker, "crashes": run.crashes})
    Run.objects.filter(pk=run.pk).update(crashes=run.crashes, crash_seq=run.seq)
    return True


def free_dead_leases() -> int:
    """End the leases of processes of this machine that are gone, so that nobody waits for their end."""
    freed = 0
    for run in Run.objects.filter(status=RunStatus.RUNNING, lease_until__gt=timezone.now()):
        if is_dead(run.lease_owner):
            freed += Run.objects.filter(pk=run.pk, epoch=run.epoch, status=RunStatus.RUNNING).update(
                lease_until=timezone.now() - timedelta(seconds=1)
            )
    return freed
