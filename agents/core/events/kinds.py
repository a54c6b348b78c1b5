"""One row a kind: its name, who causes it and the payload's fields."""

from dataclasses import dataclass
from typing import Any

from agents.core.canonical import check_json
from agents.core.text import clean_value


@dataclass(frozen=True)
class EventKind:
    """A kind of event. ``required`` are the payload's fields that every event of the kind has."""

    name: str
    required: frozenset[str]
    is_quiet: bool = False
    """Folded by default on the live page: bookkeeping that few people read."""


def _kind(name: str, *required: str, quiet: bool = False) -> EventKind:
    return EventKind(name, frozenset(required), quiet)


KINDS: dict[str, EventKind] = {
    kind.name: kind
    for kind in (
        _kind("run.created", "title", "reasoner", "policy", "by", "budget"),
        _kind("run.forked", "parent", "parent_number", "seq"),
        _kind("run.started", quiet=True),
        _kind("run.configured", "graph", "program", "tools", quiet=True),
        _kind("run.held", "differences", "choices", "configuration"),
        _kind("run.recovered", "worker", "crashes", quiet=True),
        _kind("run.paused", "by"),
        _kind("run.resumed", "by"),
        _kind("run.stopped", "by"),
        _kind("run.retried", "by"),
        _kind("run.finished", "outcome"),
        _kind("run.failed", "error"),
        _kind("digest.filed", "goal", "constraints", "documents"),
        _kind("round.started"),
        _kind("round.failed", "problem"),
        _kind("model.called", "role", "model", "prompt_tokens", "completion_tokens", quiet=True),
        _kind("proposal.made", "proposal"),
        _kind("proposal.refused", "problems"),
        _kind("finish.proposed", "answer"),
        _kind("gate.passed", "gate", "policy"),
        _kind("gate.refused", "gate", "policy"),
        _kind("policy.changed", "policy", "by"),
        _kind("approval.remembered", "tool", "by"),
        _kind("approval.revoked", "tool", "by"),
        _kind("review.opened", "gate", "kind", "title"),
        _kind("review.assigned", "gate", "to", "by"),
        _kind("review.escalated", "gate", "by"),
        _kind("advice.given", "gate", "leans", "reasons"),
        _kind("opinion.given", "gate", "by"),
        _kind("review.disputed", "gate", "by"),
        _kind("deadline.passed", "gate", "outcome"),
        _kind("review.decided", "gate", "verdict", "by"),
        _kind("review.cancelled", "gate", "by"),
        _kind("guidance.given", "text", "by"),
        _kind("effect.started", "key", "effect", "attempt", quiet=True),
        _kind("effect.finished", "key", "attempt", "result"),
        _kind("effect.unknown", "key", "attempt"),
        _kind("effect.substituted", "tool", "substitute", "by", "told"),
        _kind("effect.settled", "key", "attempt", "happened"),
        _kind("experiment.filed", "experiment"),
        _kind("evidence.filed", "stance"),
        _kind("finding.added", "finding"),
        _kind("finding.changed", "finding", "reason"),
        _kind("memory.trimmed", "reason", "kept"),
        _kind("memory.updated", "applied", quiet=True),
        _kind("milestone.reviewed", "findings", "proposed"),
        _kind("round.completed", "action", "outcome"),
        _kind("budget.changed", "budget", "by"),
        _kind("budget.warned", "limits"),
        _kind("budget.exhausted", "limits"),
        _kind("guard.tripped", "guard", "reason"),
        _kind("summary.written", "text"),
    )
}


def check_payload(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Return ``payload`` cleaned for storage.

    Raises ``ValueError`` when the kind is not known, a required field is missing or a value is not JSON.
    """
    known = KINDS.get(kind)
    if known is None:
        raise ValueError(f"unknown event kind {kind!r}; add it to agents/core/events/kinds.py")
    missing = known.required - payload.keys()
    if missing:
        raise ValueError(f"event {kind!r} lacks {', '.join(sorted(missing))}")
    cleaned = clean_value(payload)
    check_json(cleaned)
    assert isinstance(cleaned, dict)
    return cleaned
