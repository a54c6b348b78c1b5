"""Reports of instruments: who sent it, for which job, whether it fits; nothing is believed before it is verified."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agents.core.errors import BadInput, Conflict, DaybookError, NotConfigured, NotFound, Transient
from agents.core.gates import Answer, GateKind
from agents.core.lifecycle import ENDED
from agents.models import Gate, Job
from agents.services.gates import check_open, deliver, prepare_answer

MAX_BYTES = 1_000_000


class Unverified(DaybookError):
    """The report is not signed by the instrument, or not now: it is not read."""


@dataclass(frozen=True)
class Report:
    """A verified report: its job, the gate it answers, and the answer. ``gate`` is None for one that came before."""

    job: Job
    message: str
    digest: str
    gate: Gate | None = None
    answer: Answer | None = None


def read_report(job_id: UUID, *, headers: Mapping[str, str], body: bytes) -> Report:
    """Return the report in ``body``; nothing is written.

    Raises ``NotFound`` for a job that does not exist, ``Unverified`` for a signature or a time that does not hold,
    ``BadInput`` with problems by field for a result that does not fit, ``Conflict`` when the job was answered or
    given up, ``Transient`` when the run does not wait for it yet.
    """
    job = Job.objects.select_related("run__study", "source").filter(pk=job_id).first()
    if job is None or job.source is None:
        raise NotFound(
            "There is no such job: it was never given, or its instrument was removed from the study."
        )
    message = _verified(job, headers, body)
    digest = hashlib.sha256(body).hexdigest()
    if message in job.messages:
        if job.messages[message] != digest:
            raise Conflict(f"The message {message} came before with another content; nothing was changed.")
        return Report(job, message, digest)
    result = _result(job, body)
    gate = _waiting_gate(job)
    by = f"instrument {job.source.name}"
    # Nobody is there to ask: what an instrument says that it did is filed, and told as a departure.
    answer = prepare_answer(gate, verdict="answer", by=by, result=result, is_confirmed=True)
    return Report(job, message, digest, gate, answer.model_copy(update={"source": "instrument"}))


@transaction.atomic
def take_report(report: Report) -> Gate:
    """Store a report as its gate's answer. Raises ``Conflict`` when somebody was first."""
    assert report.gate is not None
    assert report.answer is not None
    gate = deliver(report.gate, report.answer, shown_digest=report.gate.digest)
    job = Job.objects.select_for_update().get(pk=report.job.pk)
    job.messages = {**job.messages, report.message: report.digest}
    job.answered_at = timezone.now()
    job.save(update_fields=["messages", "answered_at"])
    return gate


def _verified(job: Job, headers: Mapping[str, str], body: bytes) -> str:
    from agents.tools.outside.webhook.job import signer

    assert job.source is not None
    secret = os.environ.get(job.source.config.get("secret", ""), "")
    if not secret:
        raise NotConfigured("The signing secret of the instrument is not set where the server runs.")
    given = {name.lower(): value for name, value in headers.items()}
    try:
        signer(secret).verify(body, given, json_parse=False)
    except NotConfigured:
        raise
    except Exception as error:  # the library raises many kinds for what a stranger may send
        raise Unverified(
            "The signature or its time does not hold; sign again with the current time."
        ) from error
    return given["webhook-id"][:200]


def _result(job: Job, body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("result"), dict):
        raise BadInput('The report is a JSON object {"job": …, "result": {…}}.')
    if found.get("job", str(job.pk)) != str(job.pk):
        raise BadInput(
            f"The report is for the job {str(found['job'])[:60]} and was sent to the address of {job.pk}."
        )
    return dict(found["result"])


def _waiting_gate(job: Job) -> Gate:
    """Return the open gate of the job's round; also one that asks whether the job was taken at all."""
    kinds = (GateKind.RESULT, GateKind.OUTCOME)
    gates = Gate.objects.filter(run=job.run, round=job.round, kind__in=kinds).select_related("run")
    gate = gates.filter(status=Gate.Status.OPEN).first()
    if gate is not None:
        return gate
    closed = gates.order_by("-opened_at").first()
    if closed is not None:
        check_open(closed)
    if job.run.status in ENDED:
        raise Conflict("The run has ended; the report changes nothing.")
    raise Transient("The run is not waiting for this report yet: send it again in a few seconds.", 5.0)
