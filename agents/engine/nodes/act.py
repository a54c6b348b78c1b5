"""Does what was let through: once, and only what was let through."""

from langgraph.runtime import Runtime

from agents.core.errors import BadInput, Refused
from agents.core.gates import Answer, GateKind, GateRequest, Verdict
from agents.core.tools import Action, ToolResult, ToolSpec
from agents.core.workflow import is_workflow
from agents.engine.deps import Deps
from agents.engine.lists import Progress, Unknown, perform_list
from agents.engine.performing import perform
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
    if state.get("workflow") or is_workflow(action):
        return await _act_on_list(state, deps, gate, answer, action)
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
        return _observed(action, _not_happened(action.tool), by=answer.by)
    return None


def _not_happened(tool: str) -> ToolResult:
    told = "A person found that it did not happen."
    return ToolResult(success=False, fault="unknown", error_message=told, tool=tool)


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
    key = f"{gate.round}/act/{spec.name}"
    done = await perform(deps, key, action, spec, attempt)
    if done.result is None:
        request = outcome_request(action, spec, round=gate.round, key=key, attempt=done.attempt)
        return {**_ask(request, action), "attempt": done.attempt}
    if done.result.success and spec.executor == "instrument":
        told = result_request(action, spec, round=gate.round, job=done.result)
        return {**_ask(told, action), "attempt": done.attempt}
    return {**_observed(action, done.result), "attempt": done.attempt}


async def _act_on_list(
    state: AgentState, deps: Deps, gate: GateRequest, answer: Answer, action: Action
) -> AgentState:
    """Perform a workflow, or go on with one whose item a person has spoken about."""
    stored = state.get("workflow")
    progress = Progress.of(stored) if stored else Progress(action)
    if gate.kind is GateKind.OUTCOME:
        await _settle_item(deps, gate, answer, progress)
    specs = {spec.name: spec for spec in deps.toolbox.specs()}
    done = await perform_list(deps, gate, progress, specs)
    if isinstance(done, Unknown):
        request = outcome_request(
            done.action, done.spec, round=gate.round, key=done.key, attempt=done.attempt, step=done.step
        )
        return {**_ask(request, progress.action), "workflow": progress.as_json()}
    return {**_observed(progress.action, done), "workflow": None}


async def _settle_item(deps: Deps, gate: GateRequest, answer: Answer, progress: Progress) -> None:
    """File what a person said of an item of unknown outcome."""
    key, attempt, step = (gate.content[name] for name in ("key", "attempt", "step"))
    tool = gate.content["tool"]
    if answer.verdict is Verdict.ANSWER:
        # Found in the journal by the item, like any other finished effect.
        entered = _by_hand(answer, _spec_of(deps, Action(tool=tool)))
        await deps.journal.settle(key, attempt, entered.model_dump(mode="json"))
        return
    await deps.journal.settle(key, attempt, None)
    if answer.verdict is Verdict.NOT_HAPPENED:
        progress.given[step] = _not_happened(tool)
    else:
        progress.attempts[step] = attempt + 1


def _ask(request: GateRequest, action: Action) -> AgentState:
    return AgentState(
        gate=request.model_dump(mode="json"), answer=None, next_action=action.model_dump(mode="json")
    )


def _observed(action: Action, result: ToolResult, *, by: str = "") -> AgentState:
    return AgentState(
        next_action=action.model_dump(mode="json"),
        observation={**result.model_dump(mode="json"), "by": by},
    )
