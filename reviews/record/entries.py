"""Writing the record: one entry for each row, in the transaction that stores it."""

from typing import Any

from django.db import models, transaction
from django.utils import timezone

from agents.core.canonical import canonical_json
from agents.models import Gate, RememberedApproval, Run
from reviews.models import Decision, Opinion, RecordEntry, RecordHead, Signature
from reviews.record.columns import ANSWERED, ASKED, OF_GATE, USER, columns_bound, digests, plain
from reviews.record.keys import current_key, mac_of

Kind = RecordEntry.Kind
CONTENT = (
    "run_id",
    "seq",
    "kind",
    "subject",
    "gate",
    "round",
    "gate_digest",
    "policy",
    "user_pk",
    "event_seq",
    "event_chain",
    "columns",
    "is_adopted",
    "at",
    "key_id",
)
"""What the keyed digest of an entry covers, besides the one before it."""


def record_row(kind: Kind, row: Decision | Opinion | Signature | RememberedApproval) -> RecordEntry:
    """Bind ``row``, as the database holds it now, to the record of its run; call in the row's transaction."""
    assert transaction.get_connection().in_atomic_block, "a row and its entry are one transaction"
    model: Any = type(row)
    stored = model.objects.get(pk=row.pk)
    gate = None if isinstance(row, RememberedApproval) else Gate.objects.get(pk=stored.review_id)
    run_id = stored.run_id if gate is None else gate.run_id
    run = Run.objects.only("seq", "head", "round", "policy").get(pk=run_id)
    # The run's lock is held by whoever decides; this one keeps the order for anything that does not.
    head = RecordHead.objects.select_for_update().filter(run_id=run_id).first()
    entry = RecordEntry(
        run_id=run_id,
        seq=(head.seq if head else 0) + 1,
        kind=kind,
        subject=str(stored.pk),
        event_seq=run.seq,
        event_chain=run.head,
        at=timezone.now(),
        **content_of(kind, stored, gate, run),
    )
    sign(entry, head.mac if head else "")
    entry.save(force_insert=True)
    sealed_head(RecordHead(run_id=run_id), entry).save(force_insert=head is None)
    return entry


def content_of(kind: str, row: Any, gate: Any, run: Any) -> dict[str, Any]:
    """Return what an entry says of ``row`` and of the gate that it answers."""
    columns = digests(row, columns_bound(kind, type(row)))
    who = {"user_pk": getattr(row, USER, None)}
    if gate is None:
        return {"columns": columns, "round": run.round or None, "policy": run.policy, **who}
    columns |= digests(gate, ANSWERED if kind == Kind.DECISION else ASKED, prefix=OF_GATE)
    judgement = gate.judgement if isinstance(gate.judgement, dict) else {}
    return {
        "columns": columns,
        "gate": gate.key,
        "round": gate.round,
        "gate_digest": gate.digest,
        "policy": str(judgement.get("policy") or run.policy)[:80],
        **who,
    }


def sign(entry: Any, before: str) -> None:
    """Give ``entry`` its keyed digest over itself and the digest of the one ``before``."""
    entry.key_id, key = current_key()
    entry.mac = mac_of(key, signed_text(entry, before))


def signed_text(entry: models.Model, before: str) -> str:
    """Return the text that the keyed digest of ``entry`` is made of."""
    return before + canonical_json({name: plain(getattr(entry, name)) for name in CONTENT})


def sealed_head(head: Any, entry: Any) -> Any:
    """Return ``head`` pointing at ``entry`` as the last of its run."""
    head.key_id, key = current_key()
    head.seq, head.mac = entry.seq, entry.mac
    head.seal = mac_of(key, head_text(head))
    return head


def head_text(head: Any) -> str:
    """Return the text that the seal of a head is made of."""
    return canonical_json({"run": str(head.run_id), "entries": head.seq, "last": head.mac})
