"""Files the result as evidence, before anything else is proposed, and checks whether the run is done."""

from typing import Any

from langgraph.runtime import Runtime

from agents.core.evidence import judge_evidence
from agents.core.measurement import Experiment
from agents.core.proposal import Proposal
from agents.core.tools import Action, ToolResult
from agents.engine.briefing import brief_for
from agents.engine.deps import Deps
from agents.engine.limits import nearly_used_up, used_up
from agents.engine.state import KEPT_FINDINGS, KEPT_MEMORY, KEPT_STEPS, AgentState


async def update(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
    """Return the state with the observation in memory; finished when a budget is used up."""
    deps = runtime.context
    round = state["current_step"]
    action = Action.model_validate(state["next_action"])
    observation = state["observation"] or {}
    result = ToolResult.model_validate({name: observation[name] for name in ToolResult.model_fields})
    stance, outcome = await _file(state, deps, action, result, by=observation.get("by", ""))
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
    findings = (await deps.book.active())[:KEPT_FINDINGS]
    return AgentState(
        completed_steps=steps,
        observation=seen,
        working_memory=changed["working_memory"],
        key_findings=[{"id": f.id, "text": f.text, "confidence": f.confidence} for f in findings],
        proposal=None,
        gate=None,
        answer=None,
        finish_refused=0,
        idle_steps=0 if _is_experiment(deps, action) else state["idle_steps"] + 1,
        **await _check(deps, round),
    )


async def _file(
    state: AgentState, deps: Deps, action: Action, result: ToolResult, *, by: str
) -> tuple[str, str]:
    round = state["current_step"]
    if not result.success:
        return "", f"failed: {result.error_message}"[:300]
    answered = action.model_copy(update={"tool": result.tool}) if result.substitute else action
    experiment = deps.toolbox.experiment_from(answered, result.data)
    if experiment is None:
        return "", _marked((result.summary or str(result.data))[:300], result)
    if result.told:
        experiment = experiment.model_copy(update={"note": f"{experiment.note} {result.told}".strip()})
    proposal = Proposal.model_validate(state["proposal"]) if state["proposal"] else None
    prediction = _prediction_of(state, proposal)
    filed = await deps.ledger.file(
        experiment.model_copy(update={"round": round, "operator": experiment.operator or by}),
        key=f"{round}/experiment",
        prediction=prediction,
    )
    # Not itself: a run that was killed in between finds it filed already.
    earlier = [row for row in await deps.ledger.rows() if row.id != filed.id]
    evidence = judge_evidence(filed, prediction, earlier, deps.protocol.objectives)
    await deps.journal.emit(
        "evidence.filed",
        {"experiment": filed.id, "hypothesis": (state["hypothesis"] or {}).get("text", ""), **evidence},
        round=round,
        key=f"{round}/evidence",
    )
    return str(evidence["stance"]), _marked(_in_words(filed, deps), result)


def _marked(outcome: str, result: ToolResult) -> str:
    """Say behind the outcome what answered in place of the tool that was asked."""
    return f"{outcome} [{result.told}]" if result.told else outcome


def _is_experiment(deps: Deps, action: Action) -> bool:
    return any(spec.is_experiment for spec in deps.toolbox.specs() if spec.name == action.tool)


def _prediction_of(state: AgentState, proposal: Proposal | None) -> dict[str, Any] | None:
    answer = state["answer"] or {}
    if answer.get("prediction"):
        return dict(answer["prediction"])
    if proposal is None or proposal.prediction is None:
        return None
    return proposal.prediction.model_dump(mode="json")


def _in_words(experiment: Experiment, deps: Deps) -> str:
    parts = []
    for measurement in experiment.measurements:
        if measurement.status == "ok" and measurement.value is not None:
            doubt = f" ± {measurement.sigma:.3g}" if measurement.sigma is not None else ""
            count = f" (mean of {len(measurement.replicates)})" if measurement.replicates else ""
            said = f"{measurement.objective} {measurement.value:.12g}{doubt} {measurement.unit}".strip()
            parts.append(said + count)
        else:
            parts.append(f"{measurement.objective} {measurement.status.replace('_', ' ')}")
    return "; ".join(parts) or experiment.status


def _small(result: ToolResult) -> dict[str, Any]:
    """Keep what fits in memory; the whole result is in the log."""
    return {"data": result.data} if len(str(result.data)) <= 2000 else {"data": {}, "summary": result.summary}


async def _check(deps: Deps, round: int) -> AgentState:
    reached, near = await used_up(deps), await nearly_used_up(deps)
    if near:
        await deps.journal.emit(
            "budget.warned", {"limits": near}, round=round, key=f"budget/warned/{'+'.join(near)}"
        )
    if reached:
        await deps.journal.emit("budget.exhausted", {"limits": reached}, round=round, key="budget/exhausted")
        return AgentState(is_finished=True, outcome=f"budget used up: {', '.join(reached)}")
    return AgentState()
