"""Where instruments report. No session and no CSRF token: the signature is the proof, and it covers every byte."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from agents.core.errors import BadInput, Conflict, DaybookError, NotFound, Transient
from agents.services.jobs import MAX_BYTES, Unverified
from reviews.instruments import receive

TOO_EARLY = 425
_STATUS: tuple[tuple[type[DaybookError], int], ...] = (
    (NotFound, 404),
    (Unverified, 401),
    (Conflict, 409),
    (BadInput, 422),
    (Transient, TOO_EARLY),
)


@csrf_exempt
@login_not_required
@require_POST
def job_report(request: HttpRequest, pk: UUID) -> JsonResponse:
    """Take the report of a job and answer precisely, so that an instrument knows whether to send it again."""
    if int(request.headers.get("Content-Length") or 0) > MAX_BYTES:
        return JsonResponse({"error": f"A report has at most {MAX_BYTES:,} bytes."}, status=413)
    try:
        is_new = receive(pk, headers=request.headers, body=request.body)
    except DaybookError as fault:
        return _refusal(fault)
    return JsonResponse({"status": "taken" if is_new else "taken before"})


def _refusal(fault: DaybookError) -> JsonResponse:
    status = next((code for kind, code in _STATUS if isinstance(fault, kind)), 503)
    told: dict[str, Any] = {"error": str(fault)}
    if isinstance(fault, BadInput) and fault.problems:
        told["problems"] = fault.problems
    answer = JsonResponse(told, status=status)
    if status in (TOO_EARLY, 503):
        answer["Retry-After"] = "5"
    return answer
