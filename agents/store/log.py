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
from agents.store.rows import insert_all, read, save

_LOCKED = tuple(
    field.attname
    for field in Run._meta.concrete_fields
    if field.attname not in ("protocol", "start", "policy_table")
)
"""What is read of a run before a write: all but what is large and hardly ever changes while it is driven."""

_EVENT = ("run_id", "seq", "kind", "round", "key", "payload", "at", "chain")
_CHECKED = ("id", "status", "epoch", "wish", "seq", "policy")


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


def lock_run(
    run_id: UUID | str, *, epoch: int | None = None, obey_wish: bool = False, known: Run | None = None
) -> Run:
    """Return the run's row, locked until the transaction ends.

    With ``epoch``, raises ``Fenced`` unless the lease with that epoch still drives the run; with
    ``obey_wish``, raises ``Stopped`` when a person asked it to stop or pause. ``known`` is the row as the caller
    last wrote it: it is returned when nobody has logged anything since.
    """
    now = read(Run, _LOCKED if known is None else _CHECKED, lock=True, id=run_id)
    now = _check(now, run_id, epoch=epoch, obey_wish=obey_wish)
    if known is None:
        return now
    return known if known.seq == now.seq else lock_run(run_id, epoch=epoch)


def look_at_run(run_id: UUID | str, *, epoch: int) -> Run:
    """Return status, wish, policy and its table, raising what ``lock_run`` with ``obey_wish`` would; nothing is locked."""
    return _check(read(Run, (*_CHECKED, "policy_table"), id=run_id), run_id, epoch=epoch, obey_wish=True)


def _check(run: Run | None, run_id: UUID | str, *, epoch: int | None, obey_wish: bool) -> Run:
    if run is None:
        raise NotFound(f"there is no run {run_id}")
    if epoch is not None and (run.epoch != epoch or run.status != RunStatus.RUNNING):
        raise Fenced(f"run {run_id} is driven by another worker now (epoch {run.epoch}, ours {epoch})")
    if obey_wish and run.wish:
        raise Stopped(f"run {run_id} was asked to {run.wish}")
    return run


def append(
    run: Run,
    kind: str,
    payload: dict[str, Any],
    *,
    round: int | None = None,
    key: str | None = None,
    saves: bool = True,
) -> int:
    """Append one event to the locked ``run`` and return its ``seq``; the caller saves nothing.

    With ``key``, a second append returns the first's ``seq`` and changes nothing. Whoever appends several may
    leave it to ``save_log`` to store the run's row, once, after the last.
    """
    seq = append_checked(run, kind, check_payload(kind, payload), round=round, key=key)
    if saves and seq == run.seq:
        save_log(run)
    return seq


def append_checked(
    run: Run, kind: str, payload: dict[str, Any], *, round: int | None = None, key: str | None = None
) -> int:
    """Append one event as ``append`` does, with a payload that ``check_payload`` returned; ``run`` is not stored."""
    assert transaction.get_connection().in_atomic_block, "an event and what it records are one transaction"
    # Microseconds survive both databases; a clock that runs backwards must not reorder the log.
    now = timezone.now()
    at = max(now, run.last_event_at or now)
    seq = run.seq + 1
    chain = chain_value(run.head, seq=seq, kind=kind, round=round, key=key, payload=payload, at=at)
    row = (run.pk, seq, kind, round, key, payload, at, chain)
    if not insert_all(Event, _EVENT, [row], unless=("run_id", "key") if key is not None else ()):
        known = read(Event, ("id", "seq"), run_id=run.pk, key=key)
        assert known is not None
        return int(known.seq)
    run.seq, run.head, run.last_event_at = seq, chain, at
    run.state = apply_event(run.state, kind=kind, payload=payload, round=round)
    run.spent = run.state.get("spent", {})
    if round is not None:
        run.round = max(run.round, round)
    return seq


def save_log(run: Run) -> None:
    """Store what the log made of the run's row, and ring for those who look at it."""
    save(run, ("seq", "head", "last_event_at", "state", "spent", "round"))
    transaction.on_commit(lambda: run_nudged.send(sender=Run, run_id=run.pk))
