"""Does what was let through: once, and only what was let through."""

import random
from typing import Any

from langgraph.runtime import Runtime

from agents.core.errors import BadInput, OutcomeUnknown, Refused
from agents.core.gates import Answer, GateKind, GateRequest, Verdict
from agents.core.tools import Action, EffectClass, ToolResult, ToolSpec
from agents.engine.deps import Deps
from agents.engine.requests import action_digest, outcome_request, result_request
from agents.engine.state import AgentState
from agents.engine.substitutes import stand_in

TRIES = 3
BACK_OFF_SECONDS = 1.0
PASSING = frozenset({"transient", "timeout"})
MAY_HAVE_HAPPENED = frozenset({"transient", "timeout", "unknown"})
"""Faults after which nobody can say whether a blind effect took place: a person is asked."""


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
            success=False,
            fault="unknown",
            error_message="A person found that it did not happen.",
            tool=action.tool,
        )
        return _observed(action, failed, by=answer.by)
    return None


def _by_hand(answer: Answer, spec: ToolSpec) -> ToolResult:
    return ToolResult(
        success=True,
        data=answer.result,
        tool=spec.name,
        version=spec.version,
        cost=spec.cost,
        summary=answer.note or f"entered by {answer.by}",
    )


async def _perform(deps: Deps, gate: GateRequest, action: Action, spec: ToolSpec, attempt: int) -> AgentState:
    """Call the tool, trying a passing fault again where its effect class allows it. Each try has its own row."""
    key = f"{gate.round}/act/{spec.name}"
    # Tries share one idempotency key, so that a service that honours it does the work once.
    same = f"{deps.journal.run_id}:{key}:{attempt}"
    for tried in range(TRIES):
        result = await _call(deps, key, action, spec, attempt, idempotency_key=same)
        if result is None or (spec.effect is EffectClass.BLIND and result.fault in MAY_HAVE_HAPPENED):
            request = outcome_request(action, spec, round=gate.round, key=key, attempt=attempt)
            return {**_ask(request, action), "attempt": attempt}
        if result.success and spec.executor == "instrument":
            told = result_request(action, spec, round=gate.round, job=result)
            return {**_ask(told, action), "attempt": attempt}
        if result.fault == "timeout":
            instead = await stand_in(deps, action, spec, result, round=gate.round)
            if instead is not None:
                return {**_observed(action, instead), "attempt": attempt}
        if result.fault not in PASSING or tried == TRIES - 1:
            return {**_observed(action, result), "attempt": attempt}
        await deps.pause(BACK_OFF_SECONDS * 2**tried * random.uniform(0.5, 1.5))  # noqa: S311  (spreads retries)
        attempt += 1
    raise AssertionError("the last try returns")


async def _call(
    deps: Deps, key: str, action: Action, spec: ToolSpec, attempt: int, *, idempotency_key: str
) -> ToolResult | None:
    """Return the result of one try, or None when it started earlier and nobody knows what became of it."""

    async def call() -> dict[str, Any]:
        result = await deps.toolbox.call(action, idempotency_key=idempotency_key)
        return result.model_dump(mode="json")

    try:
        result = await deps.journal.once(
            key, call, effect=spec.effect, request=action.model_dump(mode="json"), attempt=attempt
        )
    except OutcomeUnknown:
        return None
    return ToolResult.model_validate(result)


def _ask(request: GateRequest, action: Action) -> AgentState:
    return AgentState(
        gate=request.model_dump(mode="json"), answer=None, next_action=action.model_dump(mode="json")
    )


def _observed(action: Action, result: ToolResult, *, by: str = "") -> AgentState:
    return AgentState(
        next_action=action.model_dump(mode="json"),
        observation={**result.model_dump(mode="json"), "by": by},
    )
