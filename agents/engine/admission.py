"""What a proposal must pass before a person sees it: the schema gate, then the ledger gate."""

from dataclasses import dataclass, field
from typing import Any

from agents.core.constraints import unexecutable
from agents.core.errors import BadInput, DaybookError
from agents.core.ledger import judge, nearest
from agents.core.proposal import Neighbour, Proposal
from agents.core.tools import ToolSpec
from agents.engine.deps import Deps

NEIGHBOURS = 3


class Refusal(DaybookError):
    """The proposal was not admitted. ``reasons`` are sentences for the reasoner and for people."""

    def __init__(self, reasons: list[str], proposal: dict[str, Any]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.proposal = proposal


@dataclass(frozen=True)
class Admitted:
    """A proposal that may be shown, with what a reviewer wants to see beside it."""

    proposal: Proposal
    spec: ToolSpec
    neighbours: list[Neighbour] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    coercions: list[dict[str, Any]] = field(default_factory=list)
    must_be_reviewed: bool = False


async def admit(proposal: Proposal, deps: Deps) -> Admitted:
    """Return ``proposal`` with checked arguments, or raise ``Refusal`` with every reason found."""
    shown = proposal.model_dump(mode="json")
    try:
        checked = deps.toolbox.check(proposal.action)
    except BadInput as fault:
        reasons = [problem["message"] for problem in fault.problems] or [str(fault)]
        raise Refusal(reasons, shown) from fault
    proposal = proposal.model_copy(update={"action": checked.action})
    spec = next(spec for spec in deps.toolbox.specs() if spec.name == checked.action.tool)
    if not spec.is_experiment:
        return Admitted(proposal, spec, coercions=checked.coercions)
    return await _admit_experiment(proposal, spec, deps, checked.coercions)


async def _admit_experiment(
    proposal: Proposal, spec: ToolSpec, deps: Deps, coercions: list[dict[str, Any]]
) -> Admitted:
    protocol = deps.protocol
    conditions = proposal.action.arguments
    rows = await deps.ledger.rows()
    spent = await deps.journal.spent()
    limit = protocol.budget.experiments
    problems = judge(
        conditions,
        rows=rows,
        space=protocol.space,
        constraints=protocol.constraints,
        is_replicate=proposal.is_replicate,
        budget_left=None if limit is None else limit - spent.experiments,
    )
    blocking = [problem.message for problem in problems] + await _vetoed(proposal, deps)
    if blocking:
        raise Refusal(blocking, proposal.model_dump(mode="json"))
    unchecked = unexecutable(protocol.constraints, protocol.space)
    warnings = [f"No program can check this limit, so please do: {limit.text}" for limit in unchecked]
    return Admitted(
        proposal,
        spec,
        neighbours=nearest(conditions, rows, protocol.space, limit=NEIGHBOURS),
        warnings=warnings,
        coercions=coercions,
        must_be_reviewed=bool(unchecked),
    )


async def _vetoed(proposal: Proposal, deps: Deps) -> list[str]:
    for veto in await deps.journal.vetoes():
        if veto.action == proposal.action:
            why = veto.text or veto.reason_code or "no reason given"
            return [f"A person vetoed exactly this in round {veto.round}: {why}. Propose something else."]
    return []
