"""Rules of a study on the ORM: what runs are told, what a milestone review looks at, and how one is filed."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Q

from agents.core.brief import WholeMemory
from agents.core.contradictions import shared_words, statement_of
from agents.core.findings import Finding
from agents.core.proposal import MemoryOperation, RunEvidence
from agents.core.rules import RULES_TOLD, Source, new_rule, require_new
from agents.models import Finding as Row
from agents.models import Run
from agents.store.findings import as_value
from agents.store.rows import read_values

OWN, ELSEWHERE, RULES = 2000, 500, 200
"""The most findings of the run, of other runs, and rules that one milestone review looks at, strongest first."""
STANDING = (Row.Status.ACTIVE, Row.Status.UNREVIEWED)
_STRONGEST = ("-confidence", "-support", "-number", "pk")


def rules_for(study_id: UUID | str, domain: str) -> list[Finding]:
    """Return the strongest rules that a run of the study is told of, oldest first: its study's, and those that
    were opened to every study of its domain."""
    if not _has_rules(study_id, domain):
        return []
    told = Q(study_id=study_id)
    if domain:
        told |= Q(reach=Row.Reach.DOMAIN, domain=domain)
    rows = Row.objects.filter(told, kind=Row.Kind.RULE, status=Row.Status.ACTIVE)
    found = rows.order_by("-confidence", "-support", "created_at", "pk")[:RULES_TOLD]
    return [as_value(row, for_index=True) for row in sorted(found, key=lambda row: (row.created_at, row.pk))]


def _has_rules(study_id: UUID | str, domain: str) -> bool:
    """Return True when there is any to tell of. Every brief asks for them, and few studies have one."""
    active = {"kind": Row.Kind.RULE, "status": Row.Status.ACTIVE}
    if read_values(Row, ("id",), study_id=study_id, **active) is not None:
        return True
    opened = {"reach": Row.Reach.DOMAIN, "domain": domain, **active}
    return bool(domain) and read_values(Row, ("id",), **opened) is not None


def whole_of(run_id: UUID) -> WholeMemory:
    """Return everything that a milestone review of the run looks at."""
    run = Run.objects.get(pk=run_id)
    rows = Row.objects.filter(study_id=run.study_id, status=Row.Status.ACTIVE).order_by(*_STRONGEST)
    findings = rows.filter(kind=Row.Kind.FINDING)
    rules = Row.objects.filter(study_id=run.study_id, kind=Row.Kind.RULE, status__in=STANDING)
    return WholeMemory(
        run=run.number,
        findings=[as_value(row) for row in findings.filter(run=run)[:OWN]],
        rules=[
            _elsewhere(row, run) for row in rules.select_related("run").order_by("created_at", "pk")[:RULES]
        ],
        elsewhere=[
            _elsewhere(row, run)
            for row in findings.exclude(run=run).filter(run__isnull=False).select_related("run")[:ELSEWHERE]
        ],
    )


def _elsewhere(row: Row, run: Run) -> Finding:
    value = as_value(row)
    if row.run is None or row.run_id == run.pk:
        return value
    return value.model_copy(update={"id": f"{row.run.number}/{value.id}"})


def named_rows(run: Run, names: Iterable[str]) -> dict[str, Row]:
    """Return the active findings of the run's study among ``names``: ``F3`` is the run's, ``2/F3`` that of run 2."""
    wanted: dict[tuple[int, int], str] = {}
    for name in names:
        owner, _, told = name.rpartition("/")
        number = told.removeprefix("F")
        if number.isdecimal() and (owner.isdecimal() or not owner):
            wanted[int(owner or run.number), int(number)] = name
    if not wanted:
        return {}
    asked = Q()
    for of_run, place in wanted:
        asked |= Q(run__number=of_run, number=place)
    active = Row.objects.filter(asked, run__study_id=run.study_id, status=Row.Status.ACTIVE)
    rows = active.select_related("run")
    return {wanted[row.run.number, row.number]: row for row in rows if row.run is not None}


def named_findings(run_id: UUID, names: Sequence[str]) -> dict[str, Finding]:
    """Return ``named_rows`` as values."""
    run = Run.objects.get(pk=run_id)
    return {name: as_value(row) for name, row in named_rows(run, names).items()}


def rule_of(run: Run, operation: MemoryOperation, *, round: int) -> Finding:
    """Return the rule that a milestone review of the run distils, not stored. Raises ``ValueError`` for sources
    that are not there any more, or too few."""
    standing = Row.objects.filter(study_id=run.study_id, kind=Row.Kind.RULE, status__in=STANDING)
    require_new(operation.text, standing.values_list("text", flat=True))
    rows = named_rows(run, operation.sources)
    missing = [name for name in operation.sources if name not in rows]
    if missing:
        raise ValueError(f"there is no active finding {', '.join(missing)} to distil a rule from")
    sources = [
        Source(finding=str(row.pk), run=str(row.run_id or ""), round=row.round, text=row.text)
        for row in rows.values()
    ]
    return new_rule(
        operation.text,
        study_id=str(run.study_id),
        run_id=str(run.pk),
        round=round,
        scope=operation.scope,
        sources=sources,
        runs=with_ids(run.study_id, operation.runs),
        is_reviewed=operation.is_reviewed,
    )


def with_ids(study_id: UUID, runs: Sequence[RunEvidence]) -> list[tuple[str, RunEvidence]]:
    """Return the evidence of runs with their ids, empty for experiments that came with the study; a number that is
    no run's is left out."""
    known = dict(Run.objects.filter(study_id=study_id).values_list("number", "pk"))
    named = [(str(known.get(each.run, "")), each) for each in runs]
    return [(run, each) for run, each in named if run or not each.run]


def may_dispute(rule: Row) -> list[Row]:
    """Return the active findings of the rule's study that may state otherwise what it states; few are read."""
    statement = statement_of(rule.text)
    if statement is None:
        return []
    rows = Row.objects.filter(
        study_id=rule.study_id, status=Row.Status.ACTIVE, kind=Row.Kind.FINDING
    ).select_related("run")
    for word in shared_words(statement):
        rows = rows.filter(text__icontains=word)
    return list(rows.order_by("created_at", "pk")[:RULES])
