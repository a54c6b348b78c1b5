"""Storing an answer with its decision, and who says so: what every way of deciding ends with."""

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from agents.core.gates import Answer, Verdict
from agents.models import Gate
from agents.services import deliver
from agents.services.gates import action_of
from reviews.models import BenchDraft, Decision, Draft, Opinion, RecordEntry
from reviews.record.entries import record_row
from reviews.services.comments import tell_comments

SUBSTANCE = ("note", "reason_code", "action_digest", "result", "hypothesis", "prediction")
"""What makes two answers of one person the same one."""


def record(
    gate: Gate,
    answer: Answer,
    *,
    user: User | None,
    role: str,
    channel: str,
) -> Decision:
    """Deliver ``answer`` to ``gate`` and store the decision; call inside a transaction. Raises as ``deliver``."""
    gate = deliver(gate, answer, shown_digest=gate.digest)
    proposed = action_of(gate)
    decision = Decision.objects.create(
        review_id=gate.pk,
        verdict=answer.verdict,
        user=user,
        by=answer.by,
        role=role,
        source=answer.source,
        channel=channel,
        reason_code=answer.reason_code,
        note=answer.note,
        proposed=proposed.model_dump(mode="json") if proposed else {},
        answer=answer.model_dump(mode="json"),
        shown_digest=gate.digest,
        at=timezone.now(),
    )
    record_row(RecordEntry.Kind.DECISION, decision)
    if answer.verdict is not Verdict.STOP:
        tell_comments(gate)
    Draft.objects.filter(gate=gate).delete()
    BenchDraft.objects.filter(gate=gate).delete()
    return decision


def said_by(opinions: list[Opinion]) -> list[dict[str, Any]]:
    """Return what each person said, as the record keeps it beside the answer that was made of it."""
    return [
        {
            "by": row.by,
            "role": row.role,
            "verdict": row.verdict,
            "reason_code": row.reason_code,
            "note": row.note,
            "action_digest": row.answer.get("action_digest", ""),
            "at": row.at.isoformat(),
        }
        for row in opinions
    ]


def is_same(answer: Answer, again: Answer) -> bool:
    """Return True when one person says the same twice."""
    return answer.verdict == again.verdict and all(
        getattr(answer, name) == getattr(again, name) for name in SUBSTANCE
    )
