"""Rows of findings: read as values, added, changed with their versions kept. Each change is an event of its run."""

from uuid import UUID

from agents.core.findings import Finding
from agents.core.memory import same_claim
from agents.models import Finding as Row
from agents.models import FindingVersion, Run
from agents.store.log import append

UNSAID = {"replaced_by": "", "kind": "finding", "reach": "study"}
"""Fields of a finding that an event leaves out, with the value that this means."""


def as_value(row: Row, *, for_index: bool = False) -> Finding:
    """Return a row as a value: its id is the run's own number (``F3``), that of an imported one (``L3``), or the
    row's id for the index."""
    return Finding(
        id=str(row.pk) if for_index else f"{'F' if row.run_id else 'L'}{row.number}",
        study_id=str(row.study_id),
        run_id=str(row.run_id or ""),
        text=row.text,
        confidence=row.confidence,
        support=row.support,
        against=row.against,
        status=row.status,
        kind=row.kind,
        reach=row.reach,
        scope=row.scope,
        domain=row.domain,
        evidence=row.evidence,
        round=row.round,
        version=row.version,
        replaced_by=row.replaced_by,
        created=row.created_at.isoformat() if row.created_at else "",
    )


def active_of(run_id: UUID, limit: int | None = None) -> list[Finding]:
    """Return the run's active findings, or ``limit`` of them, strongest first with a stable tie-break.

    Its rules are among them unless a limit is set: a prompt tells of rules apart.
    """
    rows = Row.objects.filter(run_id=run_id, status=Row.Status.ACTIVE)
    if limit is not None:
        rows = rows.filter(kind=Row.Kind.FINDING)
    return [as_value(row) for row in rows.order_by("-confidence", "-support", "-number")[:limit]]


def is_withdrawn(study_id: UUID, text: str) -> bool:
    """Return True when a person withdrew a finding of the study that says just this."""
    rows = Row.objects.filter(study_id=study_id, status=Row.Status.RETRACTED)
    return any(same_claim(text, known) for known in rows.values_list("text", flat=True))


def add_row(run: Run, finding: Finding, *, domain: str | None = None, reason: str = "") -> Row:
    """Insert ``finding`` as the locked run's next one, with its event. ``domain`` is the study's, for who knows it."""
    number = Row.objects.filter(run=run).count() + 1
    row = Row(study_id=run.study_id, run=run, number=number)
    _fill(row, finding)
    row.domain = run.protocol.get("domain", "") if domain is None else domain
    row.save()
    append(run, "finding.added", {"finding": _payload(row), "reason": reason}, round=finding.round)
    return row


def change_row(
    run: Run | None,
    row: Row,
    finding: Finding,
    *,
    reason: str,
    round: int | None,
    by: str = "",
    approved_by: str = "",
) -> Row:
    """Store the next version of ``row``, keep the old one, and log it in ``run``, which is locked.

    An imported finding has no run: its versions are its record. ``by`` is the person whose change it is,
    ``approved_by`` the second one where two are asked for.
    """
    FindingVersion.objects.create(
        finding=row,
        version=row.version,
        text=row.text,
        confidence=row.confidence,
        status=row.status,
        scope=row.scope,
        reason=reason,
        by=by,
        approved_by=approved_by,
    )
    _fill(row, finding)
    row.is_indexed = False
    row.save()
    if run is not None:
        people = {"by": by, "approved_by": approved_by}
        payload = {"finding": _payload(row), "reason": reason, **{k: v for k, v in people.items() if v}}
        append(run, "finding.changed", payload, round=round)
    return row


def _fill(row: Row, finding: Finding) -> None:
    for name in (
        "text",
        "confidence",
        "support",
        "against",
        "status",
        "kind",
        "reach",
        "scope",
        "evidence",
        "round",
        "version",
        "replaced_by",
    ):
        setattr(row, name, getattr(finding, name))


def _payload(row: Row) -> dict[str, object]:
    value = as_value(row, for_index=True).model_dump(mode="json")
    # What most findings do not have is left out, so that logs of earlier releases say the same.
    for name, usual in UNSAID.items():
        if value[name] == usual:
            del value[name]
    return {**value, "number": row.number}
