"""The milestone review: every so many rounds the whole memory is looked at, and what would change goes to the gate.

It is a round like any other. Its proposal is a list of calls of the memory tools, so people decide on each item,
the policy applies to each, and each is done once.
"""

from agents.core.brief import Brief, WholeMemory
from agents.core.errors import BadInput, DaybookError, Fenced, ModelFault, Refused
from agents.core.gates import GateRequest
from agents.core.memory import MEMORY_TOOLS, action_of
from agents.core.proposal import Hypothesis, MemoryOperation, Proposal, proposal_key
from agents.core.tools import Action, EffectClass
from agents.core.workflow import MOST_STEPS, Item, actions_of, workflow_of
from agents.engine.admission import Admitted, spec_of
from agents.engine.briefing import brief_for
from agents.engine.deps import UNFORESEEN, Deps, RoundListener
from agents.engine.requests import proposal_request
from agents.engine.state import AgentState
from agents.engine.waiting import unless_stopped

REASON = "Milestone review: what would put the memory in order."


def is_due(state: AgentState, deps: Deps) -> bool:
    """Return True when as many rounds have gone by since the last review of the memory as the study says."""
    every = deps.protocol.milestones
    return bool(every) and state["current_step"] - state.get("tidied", 0) >= every


def is_tidying(action: Action) -> bool:
    """Return True for an action that only changes findings: it is no step on the way to the goal."""
    return all(each.tool in MEMORY_TOOLS for each in actions_of(action))


async def tidy(state: AgentState, deps: Deps, *, round: int) -> tuple[GateRequest, Proposal] | None:
    """Return the gate of the milestone review with its proposal, or None when there is nothing to change.

    A model that cannot say does not keep the run from going on: the log says so, and the next review is due
    as usual. Raises ``Refused`` when a budget does not allow the call.
    """
    await deps.weigh_rules()
    whole = await deps.book.whole()
    brief = await brief_for(state, deps, round=round)
    problem = ""
    try:
        operations = await _asked(brief, whole, deps, round=round)
        actions = [_checked(operation, deps) for operation in operations[:MOST_STEPS]]
    except (Fenced, Refused):
        raise
    except (ModelFault, DaybookError, *UNFORESEEN) as fault:
        operations, actions, problem = [], [], str(fault)
    kept = [action for action in actions if isinstance(action, Action)]
    refused = [told for told in actions if isinstance(told, str)]
    payload = {
        "findings": len(whole.findings),
        "rules": len(whole.rules),
        "proposed": len(kept),
        "refused": refused,
        "problem": problem,
    }
    await deps.journal.emit("milestone.reviewed", payload, round=round, key=f"{round}/milestone/seen")
    return await _to_gate(kept, whole, state, deps, round=round) if kept else None


async def _asked(brief: Brief, whole: WholeMemory, deps: Deps, *, round: int) -> list[MemoryOperation]:
    listener = RoundListener(deps.journal, round)
    if not deps.reasoner.calls_out:
        return await deps.reasoner.tidy(brief, whole, listener)

    async def call() -> dict[str, object]:
        await deps.journal.think("")
        found = await unless_stopped(deps.reasoner.tidy(brief, whole, listener), deps.journal)
        return {"operations": [operation.model_dump(mode="json") for operation in found]}

    result = await deps.journal.once(
        f"{round}/milestone",
        call,
        effect=EffectClass.LOCAL,
        request={"reasoner": deps.reasoner.name, "findings": len(whole.findings)},
    )
    return [MemoryOperation.model_validate(each) for each in result["operations"]]


def _checked(operation: MemoryOperation, deps: Deps) -> Action | str:
    """Return the call that stands for ``operation`` as the schema gate lets it through, or why it does not."""
    try:
        return deps.toolbox.check(action_of(operation)).action
    except (BadInput, ValueError) as fault:
        return f"{operation.op}: {fault}"


def _said(actions: list[Action], whole: WholeMemory) -> list[str]:
    """Return what the findings say that the actions name: who decides must not have to look them up."""
    texts = {each.id: each.text for each in [*whole.findings, *whole.elsewhere]}
    named: dict[str, None] = {}
    for action in actions:
        given = action.arguments
        names = [given.get("finding"), given.get("other"), *given.get("sources", [])]
        named |= {name: None for name in names if name in texts}
    return [f"{name}: {texts[name]}" for name in named]


async def _to_gate(
    actions: list[Action], whole: WholeMemory, state: AgentState, deps: Deps, *, round: int
) -> tuple[GateRequest, Proposal]:
    action = actions[0]
    if len(actions) > 1:
        action = workflow_of(
            Item(step=place, tool=each.tool, arguments=each.arguments)
            for place, each in enumerate(actions, start=1)
        )
    held = state["hypothesis"]
    claim = Hypothesis.model_validate(held) if held else Hypothesis(text=deps.protocol.goal or REASON)
    reason = "\n".join([REASON, *_said(actions, whole)])
    proposal = Proposal(hypothesis=claim, action=action, reason=reason)
    specs = {spec.name: spec for spec in deps.toolbox.specs()}
    admitted = Admitted(proposal, spec_of(action, specs))
    request = proposal_request(admitted, deps.toolbox, round=round, language=deps.protocol.language)
    shown = proposal.model_dump(mode="json")
    payload = {"proposal": shown, "neighbours": [], "warnings": [], "coercions": []}
    await deps.journal.emit("proposal.made", payload, round=round, key=proposal_key(shown, round=round))
    return request, proposal
