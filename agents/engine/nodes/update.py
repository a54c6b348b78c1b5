"""Files the result as evidence, before anything else is proposed, and checks whether the run is done."""

from typing import Any

from langgraph.runtime import Runtime

from agents.core.tools import Action, ToolResult
from agents.core.workflow import actions_of
from agents.engine.briefing import brief_for
from agents.engine.deps import Deps
from agents.engine.filing import file_result
from agents.engine.limits import near, used_up, what_is_left
from agents.engine.milestone import is_tidying
from agents.engine.state import KEPT_FINDINGS, KEPT_MEMORY, KEPT_STEPS, AgentState


async def update(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
    """Return the state with the observation in memory; finished when a budget is used up."""
    deps = runtime.context
    round = state["current_step"]
    action = Action.model_validate(state["next_action"])
    observation = state["observation"] or {}
    result = ToolResult.model_validate(
        {name: observation[name] for name in ToolResult.model_fields if name in observation}
    )
    stance, outcome = await file_result(state, deps, action, result, by=observation.get("by", ""))
    step = {
        "round": round,
        "action": action.model_dump(mode="json"),
        "outcome": outcome,
        "stance": stance,
    }
    steps = [*state["completed_steps"], step][-KEPT_STEPS:]
    seen = {
        "success": result.success,
        "outcome": outcome,
        "tool": action.tool,
        "round": round,
        "substitute": result.substitute,
        **_small(result),
    }
    changed = AgentState(
        **{
            **state,
            "completed_steps": steps,
            "observation": seen,
            "working_memory": [*state["working_memory"], f"round {round}: {outcome}"][-KEPT_MEMORY:],
        }
    )
    brief = await brief_for(changed, deps, round=round)
    await deps.book.apply(await deps.reasoner.reflect(brief), round=round, key=f"{round}/reflect")
    await deps.journal.emit(
        "round.completed", {**step, "cost": result.cost}, round=round, key=f"{round}/completed"
    )
    findings = await deps.book.strongest(KEPT_FINDINGS)
    return AgentState(
        completed_steps=steps,
        observation=seen,
        working_memory=changed["working_memory"],
        key_findings=[{"id": f.id, "text": f.text, "confidence": f.confidence} for f in findings],
        proposal=None,
        gate=None,
        answer=None,
        finish_refused=0,
        idle_steps=_idle_steps(state, deps, action),
        **await _check(deps, round),
    )


def _idle_steps(state: AgentState, deps: Deps, action: Action) -> int:
    if _is_experiment(deps, action):
        return 0
    # A milestone review leads nowhere and is no sign of being lost.
    return state["idle_steps"] + (0 if deps.protocol.milestones and is_tidying(action) else 1)


def _is_experiment(deps: Deps, action: Action) -> bool:
    experiments = {spec.name for spec in deps.toolbox.specs() if spec.is_experiment}
    return any(one.tool in experiments for one in actions_of(action))


def _small(result: ToolResult) -> dict[str, Any]:
    """Keep what fits in memory; the whole result is in the log."""
    return {"data": result.data} if len(str(result.data)) <= 2000 else {"data": {}, "summary": result.summary}


async def _check(deps: Deps, round: int) -> AgentState:
    left = await what_is_left(deps)
    reached, close = used_up(deps, left), near(left)
    if close:
        await deps.journal.emit(
            "budget.warned", {"limits": close}, round=round, key=f"budget/warned/{'+'.join(close)}"
        )
    if reached:
        await deps.journal.emit("budget.exhausted", {"limits": reached}, round=round, key="budget/exhausted")
        return AgentState(is_finished=True, outcome=f"budget used up: {', '.join(reached)}")
    return AgentState()
