"""The record of a run as people and scripts read it: who, role, when, from where, what changed, why."""

from typing import Any

from agents.models import RememberedApproval, Run
from reviews.models import Decision, Opinion, RecordEntry, Review, Signature
from reviews.present.lists import argument_changes
from reviews.record.entries import Kind


def entries_told(run: Run) -> list[dict[str, Any]]:
    """Return every entry of the run's record with what its row says, oldest first."""
    entries = list(RecordEntry.objects.filter(run=run).order_by("seq"))
    rows = {
        Kind.DECISION: _by_key(Decision.objects.filter(review__run=run)),
        Kind.OPINION: _by_key(_opinions(run)),
        Kind.APPROVAL: _by_key(RememberedApproval.objects.filter(run=run)),
    }
    rows[Kind.SIGNATURE] = _by_key(Signature.objects.filter(review__run=run))
    rows[Kind.REVOCATION] = rows[Kind.APPROVAL]
    return [_told(entry, rows.get(Kind(entry.kind), {}).get(entry.subject)) for entry in entries]


def _opinions(run: Run) -> Any:
    """Return what one of several said; not while the other is to answer without knowing it."""
    closed = Opinion.objects.filter(review__run=run).exclude(review__status=Review.Status.OPEN)
    return closed.select_related("review__gate")


def _by_key(rows: Any) -> dict[str, Any]:
    return {str(row.pk): row for row in rows}


def _told(entry: RecordEntry, row: Any) -> dict[str, Any]:
    is_end = entry.kind == Kind.REVOCATION
    return {
        "entry": entry.seq,
        "at": entry.at.isoformat(),
        "kind": entry.kind,
        "gate": entry.gate,
        "round": entry.round,
        "by": (row.revoked_by if is_end else row.by) if row else "–",
        "role": getattr(row, "role", ""),
        "from": getattr(row, "channel", ""),
        "source": getattr(row, "source", ""),
        "verdict": getattr(row, "verdict", ""),
        "meaning": getattr(row, "meaning", ""),
        "changes": _changes(row),
        "reason": getattr(row, "reason_code", ""),
        "note": getattr(row, "note", "") if row and not is_end else "",
        "policy": entry.policy,
        "digest": entry.gate_digest,
        "event": entry.event_seq,
        "log": entry.event_chain,
        "is_adopted": entry.is_adopted,
        "mac": entry.mac,
    }


def _changes(row: Any) -> list[str]:
    """Return what was proposed and let through otherwise, as ``name: old → new``."""
    answer = getattr(row, "answer", None) or {}
    if not answer.get("action"):
        return []
    proposed = getattr(row, "proposed", None)
    if proposed is None:
        content = row.review.gate.request["content"]
        proposed = content.get("action") or (content.get("proposal") or {}).get("action") or {}
    return [f"{name}: {old} → {new}" for name, old, new in argument_changes(proposed, answer["action"])]
