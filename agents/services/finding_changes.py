"""Changes of findings that a second person has to approve: until then the finding says what it said."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agents.core.errors import BadInput, Conflict, NotFound, Refused
from agents.core.text import clean_text
from agents.models import Finding, FindingChange
from agents.services.findings import (
    REASON_LIMIT,
    accept_finding,
    edit_finding,
    merge_findings,
    supersede_finding,
)

VERBS: dict[str, Callable[..., Finding]] = {
    "edit": edit_finding,
    "supersede": supersede_finding,
    "merge": merge_findings,
    "accept": accept_finding,
}
"""What makes a text a fact, or another one. Withdrawing only takes away and needs nobody else."""
_IDS = ("successor", "other")


@transaction.atomic
def propose_change(
    pk: UUID, verb: str, *, by: str, reason: str, seen: int | None = None, **given: Any
) -> FindingChange:
    """Put a change of a finding before a second person. It is tried and taken back, so that what cannot be done is
    refused now: raises what the verb raises, and ``Conflict`` while another change of the finding waits."""
    try:
        with transaction.atomic():
            VERBS[verb](pk, by=by, reason=reason, seen=seen, **given)
            raise _TakenBack
    except _TakenBack:
        pass
    row = Finding.objects.select_for_update().get(pk=pk)
    waiting = row.changes.filter(state=FindingChange.State.WAITING).first()
    if waiting is not None:
        raise Conflict(
            f"A change by {waiting.by} waits to be approved. Decide on it first, then propose another one."
        )
    told = {name: str(value) if name in _IDS else value for name, value in given.items() if value is not None}
    return FindingChange.objects.create(
        finding=row, verb=verb, given=told, seen=row.version, reason=clean_text(reason).strip(), by=by
    )


class _TakenBack(Exception):
    """Undoes what was only tried."""


@transaction.atomic
def approve_change(pk: UUID, *, by: str) -> Finding:
    """Let a waiting change hold. Raises ``Refused`` to the person who proposed it, ``Conflict`` when the finding was
    changed since, or when the change waits no more."""
    change = _waiting(pk)
    if change.by == by:
        raise Refused("You proposed this change yourself: another reviewer has to approve it.")
    given = {name: UUID(value) if name in _IDS else value for name, value in change.given.items()}
    row = VERBS[change.verb](
        change.finding_id, by=change.by, reason=change.reason, seen=change.seen, approved_by=by, **given
    )
    _decide(change, FindingChange.State.APPROVED, by)
    return row


@transaction.atomic
def refuse_change(pk: UUID, *, by: str, reason: str) -> Finding:
    """Let a waiting change not hold: a second person refuses it, or who proposed it takes it back."""
    change = _waiting(pk)
    reason = clean_text(reason).strip()
    if not reason or len(reason) > REASON_LIMIT:
        raise BadInput(
            f"Say why in at most {REASON_LIMIT} characters: the person who proposed it will read it."
        )
    _decide(change, FindingChange.State.REFUSED, by, reason)
    return change.finding


def waiting_change(finding: Finding) -> FindingChange | None:
    """Return the change of ``finding`` that waits for a second person."""
    return finding.changes.filter(state=FindingChange.State.WAITING).first()


def _waiting(pk: UUID) -> FindingChange:
    change = FindingChange.objects.select_for_update().filter(pk=pk).first()
    if change is None:
        raise NotFound(f"There is no change {pk}.")
    if change.state != FindingChange.State.WAITING:
        raise Conflict(f"{change.decided_by} has decided on this change meanwhile: it was {change.state}.")
    return change


def _decide(change: FindingChange, state: FindingChange.State, by: str, note: str = "") -> None:
    change.state, change.decided_by, change.note, change.decided_at = state, by, note, timezone.now()
    change.save()
