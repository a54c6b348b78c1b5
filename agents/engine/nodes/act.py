"""Does what was let through: once, and only what was let through."""

from typing import Any

from langgraph.runtime import Runtime

from agents.core.errors import BadInput, OutcomeUnknown, Refused
from agents.core.gates import Answer, GateKind, GateRequest, Verdict
from agents.core.tools import Action, ToolResult, ToolSpec
from agents.engine.deps import Deps
from agents.engine.requests import action_digest, outcome_request, result_request
from agents.engine.state import AgentState


async def act(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
    """Return the observation, or a further gate when a person must do it or must say what happened.

    Raises ``Refused`` when the answer does not cover the action: what is approved is what runs.
    """
    deps = runtime.context
    gate = GateRequest.model_validate(state["gate"])
    answer = Answer.model_validate(state["answer"])
    action = _let_through(gate, answer)
    spec = _spec_of(deps, action)
    if gate.kind is GateKind.OUTCOME:
        settled = await _settle(state, deps, gate, answer, action)
        if settled is not None:
            return settled
    elif answer.verdict is Verdict.ANSWER:
        return _observed(action, _by_hand(answer, spec), by=answer.by)
    if spec.executor == "person":
        return _ask(result_request(action, spec, round=gate.round), action)
    attempt = state["attempt"] + int(gate.kind is GateKind.OUTCOME)
    return await _perform(deps, gate, action, spec, attempt)


def _let_through(gate: GateRequest, answer: Answer) -> Action:
    action = answer.action
    if action is None:
        given = gate.content.get("action") or gate.content["proposal"]["action"]
        action = Action.model_validate(given)
    if action_digest(action) != (answer.action_digest or gate.digest):
        raise Refused(
            f"The action {action.tool!r} differs from what was decided at {gate.key}; it was not run. "
            "Open the run's decisions to see both versions."
        )
    return action


def _spec_of(deps: Deps, action: Action) -> ToolSpec:
    for spec in deps.toolbox.specs():
        if spec.name == action.tool:
            return spec
    raise BadInput(f"The tool {action.tool!r} is not among the study's tools any more.")


async def _settle(
    state: AgentState, deps: Deps, gate: GateRequest, answer: Answer, action: Action
) -> AgentState | None:
    key, attempt = gate.content["key"], gate.content["attempt"]
    if answer.verdict is Verdict.ANSWER:
        result = _by_hand(answer, _spec_of(deps, action))
        await deps.journal.settle(key, attempt, result.model_dump(mode="json"))
        return _observed(action, result, by=answer.by)
    await deps.journal.settle(key, attempt, None)
    if answer.verdict is Verdict.NOT_HAPPENED:
        failed = ToolResult(
            success=False, fault="unknown", error_message="A person found that it did not happen.", tool=action.tool
        )
        return _observed(action, failed, by=answer.by)
    return None


def _by_hand(answer: Answer, spec: ToolSpec) -> ToolResult:
    return ToolResult(
        success=True,
        data=answer.result,
        tool=spec.name,
        version=spec.version,
        summary=answer.note or f"entered by {answer.by}",
    )


async def _perform(deps: Deps, gate: GateRequest, action: Action, spec: ToolSpec, attempt: int) -> AgentState:
    key = f"{gate.round}/act/{spec.name}"

    async def call() -> dict[str, Any]:
        result = await deps.toolbox.call(action, idempotency_key=f"{deps.protocol.study_id}:{key}:{attempt}")
        return result.model_dump(mode="json")

    try:
        result = await deps.journal.once(
            key, call, effect=spec.effect, request=action.model_dump(mode="json"), attempt=attempt
        )
    except OutcomeUnknown as unknown:
        request = outcome_request(action, spec, round=gate.round, key=key, attempt=unknown.attempt)
        return {**_ask(request, action), "attempt": unknown.attempt}
    return {**_observed(action, ToolResult.model_validate(result)), "attempt": attempt}


def _ask(request: GateRequest, action: Action) -> AgentState:
    return AgentState(
        gate=request.model_dump(mode="json"), answer=None, next_action=action.model_dump(mode="json")
    )


def _observed(action: Action, result: ToolResult, *, by: str = "") -> AgentState:
    return AgentState(
        next_action=action.model_dump(mode="json"),
        observation={**result.model_dump(mode="json"), "by": by},
    )
