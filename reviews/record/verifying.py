"""Reading the record of a run against the rows that it binds: what was altered, where, and what it was."""

import hmac
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import models, transaction

from agents.doctor.logs import UNREADABLE
from agents.models import Event, Gate, RememberedApproval
from reviews.models import Decision, Opinion, RecordEntry, RecordHead, Signature
from reviews.record.columns import (
    ANSWERED,
    ASKED,
    COUNTED,
    OF_GATE,
    REVOKED,
    USER,
    columns_bound,
    digests,
    misspelt,
)
from reviews.record.entries import Kind, head_text, signed_text
from reviews.record.keys import key_named, mac_of

TABLES: dict[str, type[models.Model]] = {
    Kind.DECISION: Decision,
    Kind.OPINION: Opinion,
    Kind.SIGNATURE: Signature,
    Kind.APPROVAL: RememberedApproval,
    Kind.REVOCATION: RememberedApproval,
}
NAMES = {
    Kind.DECISION: "decision",
    Kind.OPINION: "opinion",
    Kind.SIGNATURE: "signature",
    Kind.APPROVAL: "remembered approval",
    Kind.REVOCATION: "revocation of a remembered approval",
}
ANSWERING = (Kind.DECISION, Kind.OPINION, Kind.SIGNATURE)
"""Kinds whose rows answer a gate."""


@dataclass(frozen=True)
class Fault:
    """One thing that is not as it was written. ``gate`` and ``round`` are empty where only the run is known."""

    what: str
    gate: str = ""
    round: int | None = None
    entry: int = 0


@dataclass(frozen=True)
class Reading:
    """What reading a run's record gave: how many entries it has, its last digest, and what is wrong with it."""

    entries: int
    mac: str
    faults: list[Fault]

    @property
    def is_sound(self) -> bool:
        """True when every row is as it was written."""
        return not self.faults


def read_record(run_id: Any) -> Reading:
    """Return what the record of a run is worth now. Reads a fixed number of times, however long the record is."""
    with transaction.atomic():
        entries, faults = _entries(run_id)
        faults += _chain(entries)
        faults += _head(run_id, entries)
        faults += _events(run_id, entries)
        faults += _rows(run_id, entries)
    return Reading(len(entries), entries[-1].mac if entries else "", faults)


def _entries(run_id: Any) -> tuple[list[RecordEntry], list[Fault]]:
    rows = RecordEntry.objects.filter(run_id=run_id).order_by("seq")
    found, unreadable = _readable(RecordEntry, list(rows.values_list("pk", flat=True)))
    faults = [_unreadable_entry(pk, name) for pk, name in unreadable.items()]
    return sorted(found.values(), key=lambda entry: (not isinstance(entry.seq, int), entry.seq)), faults


def _unreadable_entry(pk: Any, name: str) -> Fault:
    rows = RecordEntry.objects.filter(pk=pk).values("seq", "gate", "round")
    row: dict[str, Any] = dict(rows.first() or {})
    return Fault(
        f"Entry {row.get('seq')} of the record cannot be read ({name}).",
        gate=str(row.get("gate") or ""),
        round=row.get("round"),
    )


def _chain(entries: list[RecordEntry]) -> Iterator[Fault]:
    before, wanted, spelling = "", 1, misspelt(entries)
    for entry in entries:
        at: dict[str, Any] = {"gate": str(entry.gate), "round": entry.round, "entry": entry.seq}
        if entry.seq != wanted:
            yield Fault(f"Entry {wanted} of the record is missing: the next one is {entry.seq}.", **at)
        wrong = _entry_fault(entry, before, spelling.get(entry.pk, []))
        if wrong:
            yield Fault(wrong, **at)
        before = entry.mac
        wanted = entry.seq + 1 if isinstance(entry.seq, int) else wanted + 1


def _entry_fault(entry: RecordEntry, before: str, spelt: list[str]) -> str:
    name = f"Entry {entry.seq} of the record ({NAMES.get(entry.kind, repr(entry.kind))})"  # type: ignore[call-overload]
    key = key_named(entry.key_id)
    if key is None:
        return (
            f"{name} was written with the key {entry.key_id}, which this site does not have: put the secret it was made "
            "of into SECRET_KEY_FALLBACKS."
        )
    try:
        fits = hmac.compare_digest(mac_of(key, signed_text(entry, before)), str(entry.mac))
    except UNREADABLE:
        fits = False
    if not fits:
        return f"{name} is not what was written, or does not follow from the one before it."
    return f"{name} is not what was written: {', '.join(spelt)}." if spelt else ""


def _head(run_id: Any, entries: list[RecordEntry]) -> Iterator[Fault]:
    head = RecordHead.objects.filter(run_id=run_id).first()
    if head is None:
        if entries:
            yield Fault(f"The record has {len(entries)} entries, and the row that counts them is gone.")
        return
    key = key_named(head.key_id)
    is_sealed = key is not None and hmac.compare_digest(mac_of(key, head_text(head)), str(head.seal))
    if not is_sealed or misspelt([head]):
        yield Fault("The row that counts the record's entries is not what was written.")
    last = entries[-1] if entries else None
    if (last.seq if last else 0) != head.seq:
        yield Fault(f"The record had {head.seq} entries; it ends with {last.seq if last else 'none'}.")
    elif last is not None and last.mac != head.mac:
        yield Fault("The last entry of the record is not the one that was written last.", entry=last.seq)


def _events(run_id: Any, entries: list[RecordEntry]) -> Iterator[Fault]:
    """The state that each was decided in must still be the log's: a log that was computed anew has other values."""
    wanted = {entry.event_seq for entry in entries if isinstance(entry.event_seq, int)}
    chains = dict(Event.objects.filter(run_id=run_id, seq__in=wanted).values_list("seq", "chain"))
    for entry in entries:
        if chains.get(entry.event_seq) != entry.event_chain:
            yield Fault(
                f"The log up to event {entry.event_seq} is not the one that entry {entry.seq} of the record was decided on.",
                gate=entry.gate,
                round=entry.round,
                entry=entry.seq,
            )


def _rows(run_id: Any, entries: list[RecordEntry]) -> Iterator[Fault]:
    gates = Gate.objects.filter(run_id=run_id).values("pk")
    here: dict[str, Any] = {
        Kind.DECISION: Decision.objects.filter(review_id__in=gates),
        Kind.OPINION: Opinion.objects.filter(review_id__in=gates),
        Kind.SIGNATURE: Signature.objects.filter(review_id__in=gates),
        Kind.APPROVAL: RememberedApproval.objects.filter(run_id=run_id),
    }
    tables = {kind: _table(kind, rows.order_by("pk"), entries) for kind, rows in here.items()}
    answered = {row.review_id for kind in ANSWERING for row in tables[kind].found.values()}
    gates_read = _read(Gate, list(answered))
    for kind, table in tables.items():
        bound = {entry.subject: entry for entry in entries if entry.kind == kind}
        for entry in bound.values():
            yield from _row(entry, table, gates_read)
        if not table.is_listed:
            yield Fault(f"There is a {NAMES[Kind(kind)]} whose key cannot be read.")
        for key in table.keys:
            if str(key) not in bound:
                yield _unbound(kind, table.found.get(str(key)), key, gates_read)
    yield from _approvals(run_id, entries, tables[Kind.APPROVAL])


@dataclass(frozen=True)
class _Table:
    """Rows of one table by key as text: those that were read, those that could not be, and how they are spelt."""

    keys: list[Any]
    found: dict[str, Any]
    broken: dict[str, str]
    misspelt: dict[Any, list[str]]
    is_listed: bool = True
    """False when one of the run has a key that cannot be read."""


def _table(kind: str, rows: Any, entries: list[RecordEntry]) -> _Table:
    """Return the rows of a kind that belong to the run, and those that its entries bind wherever they are."""
    model = TABLES[kind]
    try:
        keys, is_listed = list(rows.values_list("pk", flat=True)), True
    except UNREADABLE:
        keys, is_listed = [], False
    bound = [entry.subject for entry in entries if entry.kind == kind]
    away = [key for key in map(partial(_key, model), bound) if key is not None and key not in set(keys)]
    return replace(_read(model, [*keys, *away]), keys=keys, is_listed=is_listed)


def _read(model: type[models.Model], keys: list[Any]) -> _Table:
    found, broken = _readable(model, keys)
    return _Table(
        keys,
        {str(key): row for key, row in found.items()},
        {str(key): name for key, name in broken.items()},
        misspelt(found.values()),
    )


def _key(model: type[models.Model], text: str) -> Any:
    """Return ``text`` as a primary key of ``model``, or None when it cannot be one."""
    assert model._meta.pk is not None
    try:
        return model._meta.pk.to_python(text)
    except ValidationError:
        return None


def _row(entry: RecordEntry, table: _Table, gates: _Table) -> Iterator[Fault]:
    at: dict[str, Any] = {"gate": str(entry.gate), "round": entry.round, "entry": entry.seq}
    name = NAMES[Kind(entry.kind)]
    row = table.found.get(entry.subject)
    if row is None:
        broken = table.broken.get(entry.subject)
        told = (
            f"cannot be read ({broken})" if broken else f"that entry {entry.seq} of the record binds is gone"
        )
        yield Fault(f"The {name} {told}.", **at)
        return
    names = [*columns_bound(entry.kind, type(row)), USER]
    wrong = _differing(entry, digests(row, names)) or _among(table.misspelt.get(row.pk, []), names)
    if _is_other_user(entry, row):
        wrong = [*wrong, USER]
    if wrong:
        yield Fault(f"The {name} is not what was written: {', '.join(wrong)}.", **at)
    if entry.kind not in ANSWERING:
        return
    gate = gates.found.get(str(row.review_id))
    if gate is None:
        broken = gates.broken.get(str(row.review_id))
        yield Fault(
            f"The gate that the {name} answers {f'cannot be read ({broken})' if broken else 'is gone'}.", **at
        )
        return
    parts = ANSWERED if entry.kind == Kind.DECISION else ASKED
    shown = [name.removeprefix(OF_GATE) for name in _differing(entry, digests(gate, parts, prefix=OF_GATE))]
    shown = shown or _among(gates.misspelt.get(gate.pk, []), parts)
    if shown:
        yield Fault(f"The gate that the {name} answers is not what was written: {', '.join(shown)}.", **at)


def _among(wrong: list[str], names: Sequence[str]) -> list[str]:
    return [name for name in wrong if name in names]


def _differing(entry: RecordEntry, now: dict[str, str]) -> list[str]:
    """Return the columns that differ. One that came with a later release is in no older entry."""
    bound = entry.columns if isinstance(entry.columns, dict) else {}
    return [name for name, digest in now.items() if name in bound and bound[name] != digest]


def _is_other_user(entry: RecordEntry, row: Any) -> bool:
    if row.user_id == entry.user_pk:
        return False
    # The account may have been deleted since; nothing else empties the column.
    return row.user_id is not None or _exists(entry.user_pk)


def _exists(user_pk: Any) -> bool:
    return bool(get_user_model().objects.filter(pk=user_pk).exists())


def _unbound(kind: str, row: Any, key: Any, gates: _Table) -> Fault:
    gate = gates.found.get(str(getattr(row, "review_id", "")))
    where = {"gate": gate.key, "round": gate.round} if gate is not None else {}
    return Fault(f"There is a {NAMES[Kind(kind)]} ({key}) that the record does not know.", **where)


def _approvals(run_id: Any, entries: Sequence[RecordEntry], table: _Table) -> Iterator[Fault]:
    """What changes of an approval: it is revoked once, and counts how often it was used."""
    if not table.found:
        return
    revoked = {entry.subject: entry for entry in entries if entry.kind == Kind.REVOCATION}
    passed = Event.objects.filter(run_id=run_id, kind="gate.passed", payload__has_key="remembered")
    used = Counter(str(payload.get("remembered")) for payload in passed.values_list("payload", flat=True))
    for key, row in table.found.items():
        entry, spelt = revoked.get(key), table.misspelt.get(row.pk, [])
        at: dict[str, Any] = {"round": entry.round, "entry": entry.seq} if entry else {}
        told = f"The remembered approval of {row.tool} by {row.by}"
        if entry is None and (row.revoked_at is not None or row.revoked_by or _among(spelt, REVOKED)):
            yield Fault(f"{told} was revoked, and the record does not know of it.", **at)
        elif entry is not None and (
            wrong := _differing(entry, digests(row, REVOKED)) or _among(spelt, REVOKED)
        ):
            yield Fault(f"{told} is not what was written: {', '.join(wrong)}.", **at)
        if row.uses != used[key] or COUNTED in spelt:
            yield Fault(f"{told} counts {row.uses} uses; the log has {used[key]}.", **at)


def _readable(model: type[models.Model], keys: list[Any]) -> tuple[dict[Any, Any], dict[Any, str]]:
    """Return the rows by key, and of those that cannot be read what reading them raised."""
    rows: Any = model._default_manager
    try:
        return {row.pk: row for row in rows.filter(pk__in=keys)}, {}
    except UNREADABLE:
        found, broken = {}, {}
        for key in keys:
            try:
                with transaction.atomic():
                    found[key] = rows.get(pk=key)
            except (*UNREADABLE, ObjectDoesNotExist) as fault:
                broken[key] = type(fault).__name__
        return found, broken
