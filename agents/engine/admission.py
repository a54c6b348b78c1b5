"""What a proposal must pass before a person sees it: the schema gate, then the ledger gate."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.core.brief import Step
from agents.core.constraints import unexecutable
from agents.core.errors import BadInput, DaybookError
from agents.core.guards import Trip, trips
from agents.core.ledger import judge_list, nearest, novelty
from agents.core.proposal import Neighbour, Proposal
from agents.core.tools import Action, ToolSpec
from agents.core.vetoes import warnings_of
from agents.core.workflow import Item, actions_of, is_workflow, items_of, workflow_spec
from agents.engine.deps import Deps
from agents.engine.limits import Left, unaffordable, what_is_left
from agents.engine.state import AgentState

NEIGHBOURS = 3
GUARD_TIMES = 2


class Refusal(DaybookError):
    """The proposal was not admitted. ``reasons`` are sentences for the reasoner and for people."""

    def __init__(self, reasons: list[str], proposal: dict[str, Any], guards: list[str] | None = None) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.proposal = proposal
        self.guards = guards or []


@dataclass(frozen=True)
class Admitted:
    """A proposal that may be shown, with what a reviewer wants to see beside it."""

    proposal: Proposal
    spec: ToolSpec
    neighbours: list[Neighbour] = field(default_factory=list)
    item_neighbours: dict[int, list[Neighbour]] = field(default_factory=dict)
    """For a workflow: the neighbours of each experiment in it, by step."""
    warnings: list[str] = field(default_factory=list)
    coercions: list[dict[str, Any]] = field(default_factory=list)
    must_be_reviewed: bool = False
    novelty: float | None = None
    """How far an experiment is from every measured one, 0 to 1, the farthest of a list; None for what is none."""


async def admit(proposal: Proposal, deps: Deps, state: AgentState) -> Admitted:
    """Return ``proposal`` with checked arguments, or raise ``Refusal`` with every reason found.

    A guard refuses twice in a run; from its third time on, the action goes to a person with the warning.
    """
    shown = proposal.model_dump(mode="json")
    try:
        checked = deps.toolbox.check(proposal.action)
    except BadInput as fault:
        reasons = [problem["message"] for problem in fault.problems] or [str(fault)]
        raise Refusal(reasons, shown) from fault
    proposal = proposal.model_copy(update={"action": checked.action})
    specs = {spec.name: spec for spec in deps.toolbox.specs()}
    spec = spec_of(checked.action, specs)
    steps = [Step.model_validate(step) for step in state["completed_steps"]]
    left = await what_is_left(deps)
    tripped = trips(
        proposal.action, spec, steps, idle_steps=state["idle_steps"], limit=left.budget.idle_steps
    )
    refuse_fresh(tripped, state, proposal.model_dump(mode="json"))
    dear = unaffordable(left, spec)
    if dear:
        raise Refusal([dear], proposal.model_dump(mode="json"))
    if spec.is_experiment:
        planned = [item for item in _items(proposal.action) if specs[item.tool].is_experiment]
        admitted = await _admit_experiments(proposal, planned, spec, deps, left, checked.coercions)
    else:
        admitted = Admitted(proposal, spec, coercions=checked.coercions)
    if not tripped:
        return admitted
    await tell_persistent(tripped, deps, round=state["current_step"] + 1)
    warnings = [*admitted.warnings, *(trip.reason for trip in tripped)]
    return replace(admitted, warnings=warnings, must_be_reviewed=True)


def refuse_fresh(tripped: list[Trip], state: AgentState, shown: dict[str, Any]) -> None:
    """Raise ``Refusal`` for the guards that have not yet tripped twice in this run."""
    fresh = [trip for trip in tripped if state["guard_trips"].get(trip.guard, 0) < GUARD_TIMES]
    if fresh:
        raise Refusal([trip.reason for trip in fresh], shown, [trip.guard for trip in fresh])


async def tell_persistent(tripped: list[Trip], deps: Deps, *, round: int) -> None:
    """File guards that tripped beyond their second time: a person is asked."""
    for trip in tripped:
        payload = {"guard": trip.guard, "reason": trip.reason, "asks": True}
        await deps.journal.emit("guard.tripped", payload, round=round, key=f"{round}/guard/{trip.guard}/asks")


def spec_of(action: Action, specs: Mapping[str, ToolSpec]) -> ToolSpec:
    """Return the specification of ``action``; that of a workflow is put together from its items."""
    return workflow_spec(items_of(action), specs) if is_workflow(action) else specs[action.tool]


def _items(action: Action) -> list[Item]:
    """Return the items of a workflow; any other action as the only one."""
    single = Item(step=1, tool=action.tool, arguments=action.arguments)
    return items_of(action) if is_workflow(action) else [single]


async def _admit_experiments(
    proposal: Proposal,
    planned: list[Item],
    spec: ToolSpec,
    deps: Deps,
    left: Left,
    coercions: list[dict[str, Any]],
) -> Admitted:
    protocol = deps.protocol
    rows = await deps.ledger.rows()
    limit = left.budget.experiments
    judged = judge_list(
        [item.arguments for item in planned],
        rows=rows,
        space=protocol.space,
        constraints=protocol.constraints,
        is_replicate=proposal.is_replicate,
        budget_left=None if limit is None else limit - left.spent.experiments,
    )
    is_list = is_workflow(proposal.action)
    blocking = [
        f"Step {item.step}: {problem.message}" if is_list else problem.message
        for item, problems in zip(planned, judged, strict=True)
        for problem in problems
    ]
    blocking += await _vetoed(proposal, deps)
    if blocking:
        raise Refusal(blocking, proposal.model_dump(mode="json"))
    unchecked = unexecutable(protocol.constraints, protocol.space)
    warnings = [f"No program can check this limit, so please do: {limit.text}" for limit in unchecked]
    refused = [*await deps.book.vetoed(), *await deps.journal.vetoes()]
    warnings += [line for action in actions_of(proposal.action) for line in warnings_of(action, refused)]
    near = {item.step: nearest(item.arguments, rows, protocol.space, limit=NEIGHBOURS) for item in planned}
    return Admitted(
        proposal,
        spec,
        neighbours=[] if is_list else near[1],
        item_neighbours=near if is_list else {},
        warnings=warnings,
        coercions=coercions,
        must_be_reviewed=bool(unchecked),
        novelty=max((novelty(item.arguments, rows, protocol.space) for item in planned), default=None),
    )


async def _vetoed(proposal: Proposal, deps: Deps) -> list[str]:
    proposed = actions_of(proposal.action)
    for veto in await deps.journal.vetoes():
        if veto.action == proposal.action or veto.action in proposed:
            why = veto.text or veto.reason_code or "no reason given"
            return [f"A person vetoed exactly this in round {veto.round}: {why}. Propose something else."]
    return []
