"""Rules over several runs: distilled from the ledger on demand, and held against what was measured since."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from agents.core.findings import Finding as Value
from agents.core.proposal import RunEvidence
from agents.core.rules import Source, disputes_of, new_rule, weighed
from agents.models import Finding, Study
from agents.services.protocols import protocol_of
from agents.store.findings import as_value, change_row, is_withdrawn
from agents.store.ledger import rows_with_runs
from agents.store.log import lock_run
from agents.store.rules import STANDING, may_dispute, with_ids


def weigh_rules(study_id: UUID | str) -> list[Finding]:
    """Hold every rule of the study against its experiments and findings; return those that changed.

    A run that shows a rule counts for it, one that shows the opposite against it, each once however often this is
    done. Its confidence follows; a rule for which no more speaks than against waits for a person again.
    """
    rules = Finding.objects.filter(study_id=study_id, kind=Finding.Kind.RULE, status__in=STANDING)
    ids = list(rules.values_list("pk", flat=True))
    if not ids:
        return []
    seen = _seen(Study.objects.get(pk=study_id))
    changed = [_weigh(pk, seen) for pk in ids]
    return [row for row in changed if row is not None]


def distil_rules(study: Study) -> list[Finding]:
    """File the rules that the experiments of several runs bear out and that the study does not have yet.

    They wait, unreviewed, until a person accepts each: no search and no run is told of them before. What a person
    withdrew does not come back.
    """
    from agents.reasoners.optimiser.rules import rules_of

    weigh_rules(study.pk)
    seen = _seen(study)
    rows = Finding.objects.filter(study=study, kind=Finding.Kind.RULE)
    known = rows.exclude(status=Finding.Status.RETRACTED).values_list("text", flat=True)
    found = [op for op in rules_of(seen, known=known) if not is_withdrawn(study.pk, op.text)]
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        return [_file(study, op.text, op.runs) for op in found]


def _seen(study: Study) -> dict[str, list[RunEvidence]]:
    # numpy and scipy cost a second at import, and most processes never need them.
    from agents.reasoners.optimiser.rules import ELSEWHERE, by_run, seen_by_run

    groups = by_run(rows_with_runs(study.pk), own=ELSEWHERE)
    return seen_by_run(groups, protocol_of(study))


def _file(study: Study, text: str, runs: list[RunEvidence]) -> Finding:
    last = Finding.objects.filter(study=study, run=None).aggregate(last=Max("number"))["last"] or 0
    value = new_rule(
        text,
        study_id=str(study.pk),
        run_id="",
        round=0,
        scope="",
        sources=[],
        runs=with_ids(study.pk, runs),
        is_reviewed=False,
    )
    names: tuple[str, ...] = (
        "text",
        "kind",
        "status",
        "scope",
        "support",
        "against",
        "confidence",
        "evidence",
    )
    return Finding.objects.create(
        study=study,
        number=last + 1,
        domain=study.domain,
        **{name: getattr(value, name) for name in names},
    )


@transaction.atomic
def _weigh(pk: UUID, seen: dict[str, list[RunEvidence]]) -> Finding | None:
    owner = Finding.objects.filter(pk=pk).values_list("run_id", flat=True).first()
    run = lock_run(owner) if owner else None
    row = Finding.objects.select_for_update().filter(pk=pk, status__in=STANDING).first()
    if row is None:
        return None
    rule = as_value(row, for_index=True)
    rivals: dict[str, Any] = {str(each.pk): each for each in may_dispute(row)}
    disputes = disputes_of(rule, [as_value(each, for_index=True) for each in rivals.values()])
    sources = [_source(each) for each in disputes]
    after = weighed(rule, with_ids(row.study_id, seen.get(row.text, [])), sources)
    return None if after is rule else change_row(run, row, after, reason=_why(rule, after), round=None)


def _source(finding: Value) -> Source:
    return Source(finding=finding.id, run=finding.run_id, round=finding.round, text=finding.text)


def _why(before: Value, after: Value) -> str:
    if after.status != before.status:
        return f"As much speaks against it ({after.against}) as for it ({after.support}): it waits for a person again."
    if after.against > before.against:
        return "Newer data speaks against it."
    return "Newer data was held against it."
