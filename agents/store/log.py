"""The append-only log: dense numbers, a hash chain, and the run's row folded in the same transaction."""

import hashlib
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agents.core.canonical import canonical_json
from agents.core.errors import Fenced, NotFound, Stopped
from agents.core.events import check_payload
from agents.core.lifecycle import RunStatus
from agents.core.projection import apply_event
from agents.models import Event, Run
from agents.signals import run_nudged
from agents.store.rows import insert, read, save

_LOCKED = tuple(
    field.attname for field in Run._meta.concrete_fields if field.attname not in ("protocol", "start")
)
"""What is read of a run at every write: all but what is large and never changes while it is driven."""


def chain_value(
    head: str,
    *,
    seq: int,
    kind: str,
    round: int | None,
    key: str | None,
    payload: dict[str, Any],
    at: datetime,
) -> str:
    """Return the SHA-256 that binds an event to all before it."""
    record = {"seq": seq, "kind": kind, "round": round, "key": key, "payload": payload, "at": at.isoformat()}
    return hashlib.sha256((head + canonical_json(record)).encode()).hexdigest()


def lock_run(run_id: UUID | str, *, epoch: int | None = None, obey_wish: bool = False) -> Run:
    """Return the run's row, locked until the transaction ends.

    With ``epoch``, raises ``Fenced`` unless the lease with that epoch still drives the run; with
    ``obey_wish``, raises ``Stopped`` when a person asked it to stop or pause.
    """
    run = read(Run, _LOCKED, lock=True, id=run_id)
    if run is None:
        raise NotFound(f"there is no run {run_id}")
    _check_epoch(run, epoch)
    if obey_wish and run.wish:
        raise Stopped(f"run {run_id} was asked to {run.wish}")
    return run


def check_lease(run_id: UUID | str, *, epoch: int) -> None:
    """Lock the run until the transaction ends; raise ``Fenced`` unless the lease with ``epoch`` drives it."""
    run = read(Run, ("id", "status", "epoch"), lock=True, id=run_id)
    if run is None:
        raise NotFound(f"there is no run {run_id}")
    _check_epoch(run, epoch)


def _check_epoch(run: Run, epoch: int | None) -> None:
    if epoch is not None and (run.epoch != epoch or run.status != RunStatus.RUNNING):
        raise Fenced(f"run {run.pk} is driven by another worker now (epoch {run.epoch}, ours {epoch})")


def append(
    run: Run, kind: str, payload: dict[str, Any], *, round: int | None = None, key: str | None = None
) -> int:
    """Append one event to the locked ``run`` and return its ``seq``; the caller saves nothing.

    With ``key``, a second append returns the first's ``seq`` and changes nothing.
    """
    assert transaction.get_connection().in_atomic_block, "an event and what it records are one transaction"
    payload = check_payload(kind, payload)
    # Microseconds survive both databases; a clock that runs backwards must not reorder the log.
    at = max(timezone.now(), run.last_event_at or timezone.now())
    seq = run.seq + 1
    chain = chain_value(run.head, seq=seq, kind=kind, round=round, key=key, payload=payload, at=at)
    event = Event(
        run_id=run.pk, seq=seq, kind=kind, round=round, key=key, payload=payload, at=at, chain=chain
    )
    if not insert(event, unless=("run_id", "key") if key is not None else ()):
        known = read(Event, ("id", "seq"), run_id=run.pk, key=key)
        assert known is not None
        return int(known.seq)
    run.seq, run.head, run.last_event_at = seq, chain, at
    run.state = apply_event(run.state, kind=kind, payload=payload, round=round)
    run.spent = run.state.get("spent", {})
    if round is not None:
        run.round = max(run.round, round)
    save(run, ("seq", "head", "last_event_at", "state", "spent", "round"))
    transaction.on_commit(lambda: run_nudged.send(sender=Run, run_id=run.pk))
    return seq
