"""Reads of the findings library: what may be the same, which runs used a finding, how it came to be what it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.core.library import may_be_same
from agents.memory import search_findings
from agents.models import Event, Finding, FindingVersion, Run

LOOKED_AT, SUGGESTED = 30, 5
CALLS = 500
"""The newest events that are looked through for uses of a finding."""


@dataclass(frozen=True)
class Use:
    """A run that used a finding: ``how`` is ``recalled`` (by its tool) or ``concluded`` (its answer cites it)."""

    run: Run
    how: str
    round: int | None
    seq: int


def near_duplicates(row: Finding) -> list[Finding]:
    """Return active findings of the study that may say the same as ``row``, likeliest first."""
    if row.status not in (Finding.Status.ACTIVE, Finding.Status.UNREVIEWED):
        return []
    hits = [hit.row for hit in search_findings(row.text, study_ids=[row.study_id], limit=LOOKED_AT)]
    # The newest may not be in the index yet.
    fresh = Finding.objects.filter(study_id=row.study_id, status=Finding.Status.ACTIVE)
    fresh = fresh.select_related("study", "run").order_by("-created_at", "id")[:LOOKED_AT]
    candidates = {each.pk: each for each in (*hits, *fresh) if each.pk != row.pk}
    return [each for each in candidates.values() if may_be_same(row.text, each.text)][:SUGGESTED]


def runs_using(row: Finding) -> list[Use]:
    """Return the runs of the study that were told of ``row`` by a tool or rest their answer on it, newest first.

    A run is listed once for each way. The run that found it tells itself of it all the time and is not listed
    as telling.
    """
    texts = {row.text, *row.versions.values_list("text", flat=True)}
    rows = (
        Event.objects.filter(run__study_id=row.study_id).select_related("run__study").order_by("-at", "-seq")
    )
    found: dict[tuple[Any, str], Use] = {}
    for event in rows.filter(kind="effect.finished", payload__result__data__has_key="findings")[:CALLS]:
        if event.run_id != row.run_id and texts & set(_told(event.payload["result"]["data"]["findings"])):
            found.setdefault((event.run_id, "recalled"), Use(event.run, "recalled", event.round, event.seq))
    cited = rows.filter(kind="finish.proposed", run_id=row.run_id) if row.run_id else rows.none()
    for event in cited[:CALLS]:
        if f"F{row.number}" in event.payload.get("findings", []):
            found.setdefault((event.run_id, "concluded"), Use(event.run, "concluded", event.round, event.seq))
    return list(found.values())


def _told(findings: Any) -> Iterator[str]:
    for each in findings if isinstance(findings, list) else []:
        if isinstance(each, dict) and isinstance(each.get("text"), str):
            yield each["text"]


@dataclass(frozen=True)
class Change:
    """One step in the life of a finding: what it said from then on, and who made it say so, why and when."""

    version: int
    text: str
    before: str
    status: str
    scope: str
    scope_before: str
    confidence: float
    reason: str
    by: str
    approved_by: str
    at: Any


def history_of(row: Finding) -> list[Change]:
    """Return the versions of ``row``, newest first, each with what it said before and why that changed."""
    olds = sorted(row.versions.all(), key=lambda old: old.version)
    states: list[FindingVersion | Finding] = [*olds, row]
    changes = []
    for old, new in zip(olds, states[1:], strict=True):
        changes.append(
            Change(
                version=new.version,
                text=new.text,
                before=old.text,
                status=new.status,
                scope=new.scope,
                scope_before=old.scope,
                confidence=new.confidence,
                reason=old.reason,
                by=old.by,
                approved_by=old.approved_by,
                at=old.at,
            )
        )
    return changes[::-1]
