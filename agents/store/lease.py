"""A worker's temporary right to drive one run: claimed, renewed and given back by compare-and-swap."""

import functools
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import close_old_connections, connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from agents.core.errors import Fenced, PolicyChanged, Yielded
from agents.core.events import check_payload
from agents.core.lifecycle import RunStatus
from agents.models import Run
from agents.store.log import append, append_checked, lock_run, save_log

CRASH_LIMIT = 20
"""After so many lost workers in a row without any progress, the run fails and says so."""

MARGIN = 0.2
"""The share of a lease in which no effect is started any more."""

FAR_AHEAD = timedelta(minutes=15)
"""No lease and no back-off reaches this far: a later time means that the clock was set back since."""


def steady() -> float:
    """Return seconds that never run backwards and, where the system can tell, go on while it sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def process_name() -> str:
    """Return a name for this process that a later one on the same machine can check for life."""
    return f"{_machine()}:{os.getpid()}:{_start_of(os.getpid())}"


@functools.cache
def _machine() -> str:
    """Return host and namespace of process ids: two containers of one name do not know each other's processes."""
    host = socket.gethostname().replace(":", "-")[:30]
    try:
        return f"{host}/{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return host


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
    if len(parts) < 3 or parts[0] != _machine() or not parts[2] or not os.path.isdir("/proc/self"):
        return False
    return _start_of(int(parts[1])) != parts[2]


@dataclass(frozen=True)
class Note:
    """An event that is not yet stored; called with the run of ``Lease.writing`` it is appended.

    ``is_checked`` says that its payload came from ``check_payload``.
    """

    kind: str
    payload: dict[str, Any]
    round: int | None
    key: str | None
    is_checked: bool = False

    def __call__(self, run: Run) -> int:
        """Append the event and return its number."""
        payload = self.payload if self.is_checked else check_payload(self.kind, self.payload)
        return append_checked(run, self.kind, payload, round=self.round, key=self.key)


@dataclass
class Lease:
    """The right to drive ``run_id`` under ``epoch`` until ``until``, in seconds of ``steady()``."""

    run_id: UUID
    epoch: int
    seconds: float
    until: float
    is_lost: bool = False
    seen: Run | None = None
    """The run's row as the last write under this lease left it; None when that is not known."""
    foreign: int = 0
    """Grows whenever somebody else is found to have written to the run's log since."""
    pending: list[Callable[[Run], object]] = field(default_factory=list)
    """What the next transaction under this lease writes first, given the locked run."""
    yields: Callable[[], bool] = field(default=lambda: False)
    """Says when this process is shutting down."""
    _stop: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise ``Fenced`` when the lease is lost or too near its end to start an effect."""
        if self.is_lost or steady() > self.until - self.seconds * MARGIN:
            raise Fenced(f"the lease on run {self.run_id} is over; nothing more is started here")

    @property
    def is_over(self) -> bool:
        """True when another worker has the run or may take it."""
        return self.is_lost or steady() > self.until

    def give_way(self) -> None:
        """Raise ``Yielded`` when this process is shutting down; asked before an effect is put in the ledger."""
        if self.yields():
            raise Yielded(f"run {self.run_id} is given back before its next effect")

    @contextmanager
    def writing(self, *, obey_wish: bool = False, fresh: bool = False) -> Iterator[Run]:
        """Open a transaction, write what is pending, and yield the run's locked row.

        What the log makes of that row is stored once, at the end. ``PolicyChanged`` drops what was let through and
        all that was noted after it; nothing is written then, and what stood before it is still pending.

        Raises as ``agents.store.log.lock_run`` does; ``fresh`` reads the whole row anew. When the transaction
        fails, what was pending still is. It may have been stored after all, when only the answer to the commit was
        lost; what has a key is not stored again.
        """
        seen, self.seen, count = self.seen, None, len(self.pending)
        with transaction.atomic():
            run = lock_run(self.run_id, epoch=self.epoch, obey_wish=obey_wish, known=None if fresh else seen)
            stored = run.seq
            self.foreign += run is not seen
            self._write_pending(run, count)
            yield run
            if run.seq != stored:
                save_log(run)
        del self.pending[:count]
        self.seen = run

    def _write_pending(self, run: Run, count: int) -> None:
        for number, write in enumerate(self.pending[:count]):
            try:
                write(run)
            except PolicyChanged:
                # What was noted later rests on the answer that no longer holds.
                del self.pending[number:]
                raise

    def renew(self) -> bool:
        """Extend the lease; False when another worker has the run."""
        asked = steady()
        mine = Run.objects.filter(pk=self.run_id, epoch=self.epoch, status=RunStatus.RUNNING)
        if not mine.update(lease_until=Now() + timedelta(seconds=self.seconds)):
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
    """Return what may be claimed, by the database's clock: the machines' own ones differ."""
    far = Now() + FAR_AHEAD
    ready = Q(not_before=None) | Q(not_before__lte=Now()) | Q(not_before__gt=far)
    is_over = Q(lease_until=None) | Q(lease_until__lt=Now()) | Q(lease_until__gt=far)
    return Q(status=RunStatus.QUEUED) & ready | Q(status=RunStatus.RUNNING) & is_over


def claim(*, worker: str, run_id: UUID | None = None, exclude: frozenset[UUID] = frozenset()) -> Lease | None:
    """Take the oldest run that is ready (or ``run_id``, when it is) and return the lease on it, or None.

    Of any number of workers that try at once, one gets it.
    """
    if run_id is not None:
        return None if run_id in exclude else _take(run_id, worker)
    ready = Run.objects.filter(_claimable()).exclude(pk__in=exclude)
    for candidate in ready.order_by("created_at").values_list("pk", flat=True)[:5]:
        lease = _take(candidate, worker)
        if lease is not None:
            return lease
    return None


@transaction.atomic
def _take(run_id: UUID, worker: str) -> Lease | None:
    seconds, asked = float(settings.DAYBOOK_LEASE_SECONDS), steady()
    rows = Run.objects.defer("protocol", "start", "policy_table").select_for_update()
    run = rows.filter(_claimable(), pk=run_id).first()
    if run is None:
        return None
    was_lost = run.status == RunStatus.RUNNING
    fields = {
        "status": RunStatus.RUNNING,
        "epoch": run.epoch + 1,
        "lease_owner": worker[:80],
        "not_before": None,
        # While a person's wish is open, ``wait`` says whose it is.
        "wait": run.wait if run.wish else {},
        "started_at": run.started_at or timezone.now(),
    }
    is_first = run.started_at is None
    for name, value in fields.items():
        setattr(run, name, value)
    Run.objects.filter(pk=run_id).update(lease_until=Now() + timedelta(seconds=seconds), **fields)
    if is_first:
        append(run, "run.started", {})
    if was_lost and not _recover(run, worker):
        return None
    return Lease(run_id=run_id, epoch=run.epoch, seconds=seconds, until=asked + seconds)


def _recover(run: Run, worker: str) -> bool:
    crashes = run.crashes + 1 if run.crash_seq == run.seq else 1
    if crashes >= CRASH_LIMIT:
        error = f"The worker was lost {crashes} times at the same place. Read the server's log, then retry the run."
        append(run, "run.failed", {"error": error})
        fields = {
            "status": RunStatus.FAILED,
            "error": error,
            "ended_at": timezone.now(),
            "crashes": 0,
            "wish": "",
        }
        Run.objects.filter(pk=run.pk).update(lease_owner="", lease_until=None, wait={}, **fields)
        return False
    append(run, "run.recovered", {"worker": worker, "crashes": crashes})
    Run.objects.filter(pk=run.pk).update(crashes=crashes, crash_seq=run.seq)
    return True


def free_dead_leases() -> int:
    """End the leases of processes of this machine that are gone, so that nobody waits for their end."""
    freed = 0
    for run in (
        Run.objects.filter(status=RunStatus.RUNNING).exclude(lease_owner="").only("epoch", "lease_owner")
    ):
        if is_dead(run.lease_owner):
            mine = Run.objects.filter(pk=run.pk, epoch=run.epoch, status=RunStatus.RUNNING)
            freed += mine.update(lease_until=Now() - timedelta(seconds=1), lease_owner="")
    return freed
