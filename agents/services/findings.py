"""What people do to findings of the library: each change is a version, has a reason and a name, and is logged."""

from collections.abc import Iterable
from typing import Literal
from uuid import UUID

from django.db import transaction

from agents.core import library
from agents.core.errors import BadInput, Conflict, NotFound
from agents.core.findings import Finding as Value
from agents.core.memory import same_claim
from agents.core.text import clean_text
from agents.models import Finding
from agents.store.findings import as_value, change_row, is_withdrawn
from agents.store.log import lock_run

REASON_LIMIT = 1000


@transaction.atomic
def edit_finding(
    pk: UUID,
    *,
    by: str,
    reason: str,
    text: str | None = None,
    scope: str | None = None,
    reach: Literal["study", "domain"] | None = None,
    seen: int | None = None,
    approved_by: str = "",
) -> Finding:
    """Give a finding another text or scope, a rule another reach; what it said before stays as a version.

    ``seen`` is the version that the person looked at: ``Conflict`` is raised when it is not the latest. Raises
    ``BadInput`` without a reason, or when the change is none.
    """
    row = _locked([pk])[pk]
    _require_seen(row, seen)
    text = row.text if text is None else clean_text(text).strip()
    _require_not_withdrawn(row, text)
    scope = row.scope if scope is None else clean_text(scope).strip()
    value = library.corrected(_value(row), text=text, scope=scope, reach=reach)
    return _change(row, value, by=by, reason=reason, approved_by=approved_by)


@transaction.atomic
def retract_finding(
    pk: UUID, *, by: str, reason: str, seen: int | None = None, approved_by: str = ""
) -> Finding:
    """Withdraw a claim: it is kept, and is no fact any more, for search, tools and prompts.

    Findings of the study that say the very same, as those that a fork inherited, are withdrawn with it.
    """
    rows = _locked([pk, *_same(pk)])
    _require_seen(rows[pk], seen)
    result = _change(
        rows[pk], library.withdrawn(_value(rows[pk])), by=by, reason=reason, approved_by=approved_by
    )
    for other in rows.values():
        if other.pk != pk:
            _change(other, library.withdrawn(_value(other)), by=by, reason=reason, approved_by=approved_by)
    return result


@transaction.atomic
def supersede_finding(
    pk: UUID, *, successor: UUID, by: str, reason: str, seen: int | None = None, approved_by: str = ""
) -> Finding:
    """Let ``successor``, an active finding of the same study, take the place of a finding."""
    rows = _locked([pk, successor])
    _require_seen(rows[pk], seen)
    value = library.replaced(_value(rows[pk]), _value(rows[successor]))
    return _change(rows[pk], value, by=by, reason=reason, approved_by=approved_by)


@transaction.atomic
def merge_findings(
    pk: UUID, *, other: UUID, by: str, reason: str, seen: int | None = None, approved_by: str = ""
) -> Finding:
    """Make one of two findings that say the same: ``pk`` stands, with the evidence of both; ``other`` is replaced."""
    rows = _locked([pk, other])
    _require_seen(rows[pk], seen)
    kept, leaving = _value(rows[pk]), _value(rows[other])
    result = _change(rows[pk], library.merged(kept, leaving), by=by, reason=reason, approved_by=approved_by)
    _change(rows[other], library.replaced(leaving, kept), by=by, reason=reason, approved_by=approved_by)
    return result


@transaction.atomic
def accept_finding(
    pk: UUID, *, by: str, reason: str = "", seen: int | None = None, approved_by: str = ""
) -> Finding:
    """Take an imported finding as reviewed: from now on it is found and told like any other."""
    row = _locked([pk])[pk]
    _require_seen(row, seen)
    _require_not_withdrawn(row, row.text)
    value = library.accepted(_value(row), row.origin.get("status", ""))
    return _change(row, value, by=by, reason=reason or "accepted", approved_by=approved_by)


def _same(pk: UUID) -> list[UUID]:
    row = Finding.objects.filter(pk=pk).first()
    if row is None:
        return []
    rows = Finding.objects.filter(study_id=row.study_id, status__in=("active", "unreviewed")).exclude(pk=pk)
    return [other for other, said in rows.values_list("pk", "text") if same_claim(row.text, said)]


def _require_not_withdrawn(row: Finding, text: str) -> None:
    if row.status != Finding.Status.VETOED and is_withdrawn(row.study_id, text):
        raise BadInput(
            "This claim was withdrawn in this study and cannot come back as it was. Say it in the words that hold."
        )


def _value(row: Finding) -> Value:
    return as_value(row, for_index=True)


def _change(row: Finding, value: Value, *, by: str, reason: str, approved_by: str) -> Finding:
    reason = clean_text(reason).strip()
    if not reason:
        raise BadInput("Say why: the reason is kept with what the finding said before.")
    if len(reason) > REASON_LIMIT:
        raise BadInput(f"The reason has {len(reason)} characters; at most {REASON_LIMIT} are kept.")
    run = lock_run(row.run_id) if row.run_id else None
    return change_row(run, row, value, reason=reason, round=None, by=by, approved_by=approved_by)


def _locked(pks: Iterable[UUID]) -> dict[UUID, Finding]:
    """Return the findings, their runs and rows locked in one order, so that two people never wait for each other."""
    wanted = set(pks)
    runs = Finding.objects.filter(pk__in=wanted, run__isnull=False).values_list("run_id", flat=True)
    for run in sorted(set(runs)):
        lock_run(run)
    rows = Finding.objects.select_for_update().filter(pk__in=wanted).order_by("pk")
    found = {row.pk: row for row in rows}
    for pk in wanted - found.keys():
        raise NotFound(f"There is no finding {pk}.")
    return found


def _require_seen(row: Finding, seen: int | None) -> None:
    if seen is not None and seen != row.version:
        raise Conflict(
            f"The finding was changed meanwhile: you saw version {seen}, it is version {row.version} now. "
            "Look at it again, then decide."
        )
