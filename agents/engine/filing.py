"""Files what an action gave: experiments into the ledger, their evidence judged by rule, and all of it in words."""

from typing import Any

from agents.core.evidence import judge_evidence
from agents.core.measurement import Experiment
from agents.core.memory import operation_of
from agents.core.proposal import Proposal
from agents.core.text import shorten
from agents.core.tools import Action, ToolResult
from agents.core.workflow import is_workflow, items_of
from agents.engine.deps import Deps
from agents.engine.state import AgentState

OUTCOME_LENGTH = 300
_STANCES = ("against", "for", "inconclusive")
"""A list with evidence of several kinds counts as the first of these."""


async def file_result(
    state: AgentState, deps: Deps, action: Action, result: ToolResult, *, by: str
) -> tuple[str, str]:
    """File ``result`` once and return how it bears on the hypothesis and the outcome in words."""
    if not result.success:
        return "", f"failed: {result.error_message}"[:OUTCOME_LENGTH]
    if is_workflow(action):
        return await _file_list(state, deps, action, result, by=by)
    answered = action.model_copy(update={"tool": result.tool}) if result.substitute else action
    filed = await _file_one(state, deps, answered, result.data, by=by, told=result.told)
    stance, outcome = filed or ("", (result.summary or str(result.data))[:OUTCOME_LENGTH])
    return stance, _marked(outcome, result.told)


def _marked(outcome: str, told: str) -> str:
    """Say behind the outcome what answered in place of the tool that was asked."""
    return f"{outcome} [{told}]" if told else outcome


async def _file_list(
    state: AgentState, deps: Deps, action: Action, result: ToolResult, *, by: str
) -> tuple[str, str]:
    entries = {entry["step"]: entry for entry in result.data["steps"]}
    stances, told, is_measured = set(), [], False
    for item in items_of(action):
        entry = entries[item.step]
        filed = None
        if entry["success"]:
            answered = item.action.model_copy(update={"tool": entry["tool"]})
            told_by = entry.get("told", "")
            filed = await _file_one(state, deps, answered, entry["data"], by=by, step=item.step, told=told_by)
        if filed:
            stances.add(filed[0])
            is_measured = True
        words = filed[1] if filed else "" if entry["success"] else f"failed: {entry['error_message']}"
        words = _marked(words, entry.get("told", "")) if words else words
        told.append(f"{item.step} {words}" if words else "")
    stance = next((name for name in _STANCES if name in stances), "")
    outcome = "; ".join(filter(None, told)) if is_measured else result.summary
    return stance, shorten(outcome, OUTCOME_LENGTH)


async def _file_one(
    state: AgentState,
    deps: Deps,
    action: Action,
    data: dict[str, Any],
    *,
    by: str,
    step: int | None = None,
    told: str = "",
) -> tuple[str, str] | None:
    """File an experiment with its evidence, or change a finding; None for what is no experiment. ``step`` is its place in a list."""
    round = state["current_step"]
    place = "" if step is None else f"/{step}"
    operation = operation_of(action)
    if operation is not None:
        by_person = (state["answer"] or {}).get("source") == "person"
        operation = operation.model_copy(update={"is_reviewed": by_person})
        await deps.book.apply([operation], round=round, key=f"{round}/supersede{place}")
    experiment = deps.toolbox.experiment_from(action, data)
    if experiment is None:
        return None
    if told:
        experiment = experiment.model_copy(update={"note": f"{experiment.note} {told}".strip()})
    prediction = _prediction_of(state, step)
    filed = await deps.ledger.file(
        experiment.model_copy(update={"round": round, "operator": experiment.operator or by}),
        key=f"{round}/experiment{place}",
        prediction=prediction,
    )
    # Not itself: a run that was killed in between finds it filed already.
    earlier = [row for row in await deps.ledger.rows() if row.id != filed.id]
    evidence = judge_evidence(filed, prediction, earlier, deps.protocol.objectives)
    await deps.journal.emit(
        "evidence.filed",
        {"experiment": filed.id, "hypothesis": (state["hypothesis"] or {}).get("text", ""), **evidence},
        round=round,
        key=f"{round}/evidence{place}",
    )
    return str(evidence["stance"]), _in_words(filed)


def _prediction_of(state: AgentState, step: int | None) -> dict[str, Any] | None:
    proposal = Proposal.model_validate(state["proposal"]) if state["proposal"] else None
    if step is not None:
        found = proposal.predictions.get(str(step)) if proposal else None
        return found.model_dump(mode="json") if found else None
    answer = state["answer"] or {}
    if answer.get("prediction"):
        return dict(answer["prediction"])
    if proposal is None or proposal.prediction is None:
        return None
    return proposal.prediction.model_dump(mode="json")


def _in_words(experiment: Experiment) -> str:
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
