"""Reports of instruments as decisions: the same record as a person's, in one transaction with the gate's answer."""

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agents.core.errors import Conflict
from agents.services.gates import action_of
from agents.services.jobs import read_report, take_report
from reviews.models import Decision, Draft, RecordEntry
from reviews.record.entries import record_row


def receive(job_id: UUID, *, headers: Mapping[str, str], body: bytes) -> bool:
    """Take the report of a job; return False when this very message was taken before.

    Raises what ``read_report`` and ``take_report`` raise; nothing is changed then.
    """
    report = read_report(job_id, headers=headers, body=body)
    if report.gate is None or report.answer is None:
        return False
    try:
        with transaction.atomic():
            gate = take_report(report)
            proposed = action_of(gate)
            decision = Decision.objects.create(
                review_id=gate.pk,
                verdict=report.answer.verdict,
                by=report.answer.by,
                source=report.answer.source,
                channel="webhook",
                proposed=proposed.model_dump(mode="json") if proposed else {},
                answer=report.answer.model_dump(mode="json"),
                shown_digest=gate.digest,
                at=timezone.now(),
            )
            record_row(RecordEntry.Kind.DECISION, decision)
            Draft.objects.filter(gate=gate).delete()
    except Conflict:
        # The instrument may have sent the same message twice at once.
        if read_again(job_id, report.message) == report.digest:
            return False
        raise
    return True


def read_again(job_id: UUID, message: str) -> str:
    """Return the digest of a message that was taken, or an empty text."""
    from agents.models import Job

    return str(Job.objects.get(pk=job_id).messages.get(message, ""))
