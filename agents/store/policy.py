"""What the policy of a run makes of a gate: the table, the run as it stands, and remembered approvals."""

from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from agents.core.budget import Budget, Spent
from agents.core.errors import BadInput
from agents.core.gates import Answer, GateKind, GateRequest, Verdict
from agents.core.policy import Clause, Facts, Judgement, PolicyTable, facts_of, judge, preset
from agents.core.policy.clauses import all_hold
from agents.core.tools import Action
from agents.core.workflow import actions_of
from agents.models import Gate, RememberedApproval, Run
from agents.store.rows import read_values

LET_THROUGH = (Verdict.APPROVE, Verdict.EDIT, Verdict.ANSWER)


def table_of(name: str, stored: dict[str, Any]) -> PolicyTable:
    """Return the table that a run carries; that of the preset ``name`` when it carries none.

    A table that cannot be read lets nothing through: it has no rules.
    """
    if not stored:
        return preset(name)
    try:
        return PolicyTable.model_validate(stored)
    except ValueError:
        return PolicyTable(name=name)


def table_now(run: Run) -> PolicyTable:
    """Return the table that the locked run goes by at this moment."""
    found = read_values(Run, ("policy_table",), id=run.pk)
    return table_of(run.policy, found[0] if found else {})


def judge_gate(
    run_id: Any, table: PolicyTable, state: dict[str, Any], request: GateRequest, budget: Budget
) -> tuple[Judgement, RememberedApproval | None]:
    """Return what the run's policy ``table`` says of ``request``, and the remembered approval that covers it.

    ``state`` is the run's, with everything that was told so far, ``budget`` its limits as they stand. A remembered approval stands in for one
    reviewer's yes, and for nothing else: not where two people, an owner or a refusal are stated, nor for what
    carries a warning.
    """
    facts = _facts(run_id, state, request, table, budget)
    judgement = judge(table, facts)
    is_plain = judgement.then in ("review", "reader") and judgement.role == "reviewer"
    if request.kind is not GateKind.PROPOSAL or not is_plain or judgement.why not in ("rule", "no_rule"):
        return judgement, None
    return judgement, _remembered(run_id, facts)


def limits_now(run_id: Any) -> Budget:
    """Return the limits that the run has at this moment."""
    return Budget.model_validate(Run.objects.values_list("protocol__budget", flat=True).get(pk=run_id) or {})


def _facts(
    run_id: Any, state: dict[str, Any], request: GateRequest, table: PolicyTable, budget: Budget
) -> Facts:
    spent = state.get("spent") or {}
    return facts_of(
        request,
        hypothesis=state.get("hypothesis"),
        budget=budget,
        spent=Spent.model_validate({k: v for k, v in spent.items() if k in Spent.model_fields}),
        asked_share=_asked_share(run_id) if table.needs("share_step") else 0.0,
        is_first_use=_is_first_use(run_id, request) if table.needs("is_first_use") else None,
    )


def _asked_share(run_id: Any) -> float:
    """Return the share of the budget that was used when people were asked last."""
    asked = Gate.objects.filter(run_id=run_id, kind=GateKind.PROPOSAL, judgement__then="review")
    last = asked.order_by("-opened_at").values_list("judgement__budget_share", flat=True).first()
    return float(last or 0.0)


def _is_first_use(run_id: Any, request: GateRequest) -> bool:
    """Return True when a tool of the proposal was never let through in the run."""
    passed = Gate.objects.filter(run_id=run_id, answer__verdict__in=LET_THROUGH)
    used = {tool for action in passed.values_list("answer__action", flat=True) for tool in tools_in(action)}
    return not tools_in((request.content.get("proposal") or {}).get("action")) <= used


def tools_in(action: Any) -> set[str]:
    """Return the names of the tools that ``action``, as JSON, calls."""
    try:
        return {each.tool for each in actions_of(Action.model_validate(action or {}))}
    except (BadInput, ValueError):
        return set()


def active_approvals(run_id: Any) -> QuerySet[RememberedApproval]:
    """Return the remembered approvals of a run that still hold, by the clock and by its round."""
    now = timezone.now()
    rows = RememberedApproval.objects.filter(run_id=run_id, revoked_at=None)
    return rows.filter(Q(until=None) | Q(until__gt=now)).filter(
        Q(until_round=None) | Q(until_round__gte=F("run__round"))
    )


def _remembered(run_id: Any, facts: Facts) -> RememberedApproval | None:
    if facts.is_forced or facts.has_warnings or facts.items or facts.arguments is None:
        return None
    for row in active_approvals(run_id).filter(tool=facts.tool).order_by("created_at"):
        if row.until_round is not None and row.until_round < facts.round:
            continue
        try:
            clauses = [Clause.model_validate(clause) for clause in row.clauses]
        except ValueError:
            continue
        if all_hold(clauses, facts.arguments):
            return row
    return None


def use_remembered(row: RememberedApproval, request: GateRequest, *, at: str) -> Answer:
    """Return the approval that ``row`` stands for, and count its use."""
    RememberedApproval.objects.filter(pk=row.pk).update(uses=F("uses") + 1)
    return Answer(
        verdict=Verdict.APPROVE,
        by=row.by,
        source=f"remembered: {str(row.pk)[:8]}",
        at=at,
        action=Action.model_validate(request.content["proposal"]["action"]),
        action_digest=request.digest,
    )
