"""Asks the reasoner for the next step and puts it before the gate."""

import logging

from langgraph.runtime import Runtime

from agents.core.brief import Brief, Step, against
from agents.core.errors import BadInput, DaybookError, Fenced, ModelFault, Refused
from agents.core.gates import GateKind, GateRequest, Verdict
from agents.core.proposal import Finish, Hypothesis, Turn, proposal_key
from agents.core.text import clean_value
from agents.core.tools import EffectClass
from agents.engine.admission import Refusal, admit, refuse_fresh, tell_persistent
from agents.engine.briefing import brief_for
from agents.engine.deps import UNFORESEEN, Deps, RoundListener
from agents.engine.ending import AGAIN_GUARD, ending_trips, finish_again
from agents.engine.limits import used_up, what_is_left
from agents.engine.milestone import is_due, tidy
from agents.engine.pressure import is_small, trim
from agents.engine.requests import attention_request, finish_request, proposal_request
from agents.engine.state import AgentState
from agents.engine.waiting import unless_stopped

log = logging.getLogger("daybook.engine")

TRIES = 3
"""A round takes this many answers of a reasoner: it may be told twice what was wrong, then a person is asked."""


async def reason(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
    """Return the state with a gate to pass, or finished when a budget is used up.

    Every try has its own effect key, so that a run that was killed in between repeats no finished call. When
    memory runs short, it is done once more with a smaller working memory; then a person is asked.
    """
    deps, round = runtime.context, state["current_step"] + 1
    small = AgentState()
    short = deps.pressure()
    if short and not is_small(state):
        small = await trim(state, deps, why=short, round=round)
    try:
        return {**small, **await _reason({**state, **small}, deps, round=round)}
    except MemoryError:
        small = await trim(state, deps, why="A step needed more memory than there is.", round=round)
    try:
        return {**small, **await _reason({**state, **small}, deps, round=round)}
    except MemoryError:
        problem = "A step needs more memory than there is, with the smallest working memory too."
        return {**small, **_attention({"finish_refused": 0, **state}, round=round, problem=problem, tries=[])}


async def _reason(state: AgentState, deps: Deps, *, round: int) -> AgentState:
    """Do the step with the working memory that ``state`` holds."""
    reached = used_up(deps, await what_is_left(deps))
    if reached:
        return await _finish(state, deps, reached)
    await deps.journal.emit(
        "round.started", {"reasoner": deps.reasoner.name}, round=round, key=f"{round}/started"
    )
    state = {**state, "finish_refused": _finish_refused(state)}
    try:
        tidied, state = await _milestone(state, deps, round=round)
    except Refused as refused:
        return await _out_of_budget(state, deps, refused, round=round)
    if tidied is not None:
        return tidied
    guidance = await deps.journal.guidance_after(state["guidance_seq"])
    heard = max([state["guidance_seq"], *(item.seq for item in guidance)])
    refusals: list[str] = []
    listener = RoundListener(deps.journal, round)
    for attempt in range(1, TRIES + 1):
        asked = listener.unusable + attempt - 1
        if asked >= TRIES:
            break
        try:
            brief = await brief_for(
                state, deps, round=round, guidance=guidance, refusals=refusals, asked=asked
            )
            turn, heard = await _ask(brief, deps, listener, attempt=attempt, heard=heard)
            await deps.book.apply(turn.memory, round=round - 1, key=f"{round}/memory/{attempt}")
            return await _to_gate(state, deps, turn, round=round, heard=heard)
        except Refusal as refusal:
            refusals.extend(refusal.reasons)
            state = {**state, "guard_trips": _counted(state["guard_trips"], refusal.guards)}
            await _tell(refusal, deps, round=round, attempt=attempt)
        except Refused as refused:
            return await _out_of_budget(state, deps, refused, round=round)
        except Fenced:
            raise
        except (ModelFault, DaybookError) as fault:
            tries = fault.tries if isinstance(fault, ModelFault) else []
            await deps.journal.emit(
                "round.failed", {"problem": str(fault)}, round=round, key=f"{round}/failed"
            )
            return _attention(state, round=round, problem=str(fault), tries=tries)
    return _attention(
        state,
        round=round,
        problem=_problem_of(state),
        tries=[{"fault": "refused", "message": reason} for reason in refusals],
    )


async def _out_of_budget(state: AgentState, deps: Deps, refused: Refused, *, round: int) -> AgentState:
    """Finish for the limit that a call was refused for, or raise the refusal again."""
    reached = used_up(deps, await what_is_left(deps))
    if not reached:
        raise refused
    return await _finish({**state, "current_step": round}, deps, reached)


async def _tell(refusal: Refusal, deps: Deps, *, round: int, attempt: int) -> None:
    """Log why a proposal was refused, and which guards tripped."""
    if refusal.guards:
        payload = {"guard": ", ".join(refusal.guards), "reason": str(refusal)}
        await deps.journal.emit("guard.tripped", payload, round=round, key=f"{round}/guard/{attempt}")
    problems = {"problems": refusal.reasons, "proposal": refusal.proposal, "attempt": attempt}
    await deps.journal.emit("proposal.refused", problems, round=round, key=f"{round}/refused/{attempt}")


async def _milestone(state: AgentState, deps: Deps, *, round: int) -> tuple[AgentState | None, AgentState]:
    """Return the gate of a milestone review when one is due and finds something; and the state to go on with."""
    if not is_due(state, deps):
        return None, state
    state = {**state, "tidied": round}
    found = await tidy(state, deps, round=round)
    if found is None:
        return None, state
    request, proposal = found
    return AgentState(
        current_step=round,
        answer=None,
        attempt=1,
        guard_trips=state["guard_trips"],
        finish_refused=state["finish_refused"],
        tidied=round,
        gate=request.model_dump(mode="json"),
        proposal=proposal.model_dump(mode="json"),
        next_action=proposal.action.model_dump(mode="json"),
    ), state


def _finish_refused(state: AgentState) -> int:
    """Return the round in which a person refused to end the run; 0 when they let the reasoner try again since."""
    gate, answer = state["gate"] or {}, state["answer"] or {}
    if gate.get("kind") == GateKind.FINISH and answer.get("verdict") == Verdict.VETO:
        return state["current_step"]
    return 0 if gate.get("kind") == GateKind.ATTENTION else state.get("finish_refused", 0)


def _problem_of(state: AgentState) -> str:
    refused = state.get("finish_refused", 0)
    if refused and state["guard_trips"].get(AGAIN_GUARD):
        return (
            f"The reasoner has nothing to propose but to finish, which was refused in round {refused}. Give it "
            "guidance or change the limits and try again, or stop the run."
        )
    return "No answer of the reasoner in this round could be used: what it proposed was not admitted."


async def _ask(
    brief: Brief, deps: Deps, listener: RoundListener, *, attempt: int, heard: int
) -> tuple[Turn, int]:
    """Return the reasoner's turn and the number of the last event that it could know of.

    A turn that is returned from the journal knows nothing of guidance that was given since: that is kept for
    the next round.
    """
    if not deps.reasoner.calls_out:
        await deps.journal.store()
        return _cleaned(await _propose(brief, deps, listener)), heard

    async def call() -> dict[str, object]:
        await deps.journal.think("")
        turn = await unless_stopped(_propose(brief, deps, listener), deps.journal)
        return {"turn": _cleaned(turn).model_dump(mode="json"), "heard": heard}

    result = await deps.journal.once(
        f"{brief.round}/reason/{attempt}",
        call,
        effect=EffectClass.LOCAL,
        request={"reasoner": deps.reasoner.name},
    )
    return Turn.model_validate(result["turn"]), int(result["heard"])


async def _propose(brief: Brief, deps: Deps, listener: RoundListener) -> Turn:
    """Return what the reasoner says. What trips over an answer that nobody foresaw is a fault of that answer."""
    try:
        return await deps.reasoner.propose(brief, listener)
    except UNFORESEEN as fault:
        log.warning("round %s: the reasoner tripped over an answer", brief.round, exc_info=True)
        told = f"The reasoner could not take in an answer ({type(fault).__name__}: {fault})."
        raise ModelFault(told, [{"fault": "unforeseen", "message": told, "raw": ""}]) from fault


def _cleaned(turn: Turn) -> Turn:
    """Return ``turn`` as it can be stored, before any digest is made of it: what is shown is what is stored."""
    return Turn.model_validate(clean_value(turn.model_dump(mode="json")))


async def _to_gate(state: AgentState, deps: Deps, turn: Turn, *, round: int, heard: int) -> AgentState:
    common = AgentState(
        current_step=round,
        answer=None,
        attempt=1,
        guidance_seq=heard,
        tidied=state.get("tidied", 0),
        guard_trips=state["guard_trips"],
        finish_refused=state["finish_refused"],
    )
    if turn.finish is not None:
        request = await _admit_finish(turn.finish, state, deps, round=round)
        payload = {"answer": turn.finish.answer, "findings": turn.finish.findings, **request.content}
        await deps.journal.emit("finish.proposed", payload, round=round, key=f"{round}/finish")
        return AgentState(**{**common, "gate": request.model_dump(mode="json"), "proposal": None})
    if turn.proposal is None:
        raise BadInput("The answer holds neither a proposal nor a proposal to finish.")
    admitted = await admit(turn.proposal, deps, state)
    request = proposal_request(admitted, deps.toolbox, round=round, language=deps.protocol.language)
    shown = admitted.proposal.model_dump(mode="json")
    payload = {
        "proposal": shown,
        "neighbours": [row.model_dump(mode="json") for row in admitted.neighbours],
        "warnings": admitted.warnings,
        "coercions": admitted.coercions,
        **_given_up(state, admitted.proposal.hypothesis),
    }
    # A run that was killed here may come to another proposal: the log then holds both, the last one is asked about.
    await deps.journal.emit("proposal.made", payload, round=round, key=proposal_key(shown, round=round))
    return AgentState(
        **{
            **common,
            "gate": request.model_dump(mode="json"),
            "proposal": shown,
            "hypothesis": admitted.proposal.hypothesis.model_dump(mode="json"),
            "next_action": admitted.proposal.action.model_dump(mode="json"),
        }
    )


def _given_up(state: AgentState, claim: Hypothesis) -> dict[str, object]:
    """Return what the log says when a person's hypothesis gives way to another one: which, and what spoke
    against it."""
    if not state["hypothesis"]:
        return {}
    was = Hypothesis.model_validate(state["hypothesis"])
    if not was.by or was.text == claim.text:
        return {}
    steps = [Step.model_validate(step) for step in state["completed_steps"]]
    return {"given_up": {"text": was.text, "by": was.by, "round": against(was, steps)}}


async def _admit_finish(finish: Finish, state: AgentState, deps: Deps, *, round: int) -> GateRequest:
    """Return the question whether the run may end, or raise ``Refusal`` while the reasoner may still mend it."""
    findings = await deps.book.active()
    again = finish_again(state)
    if again:
        raise Refusal([again.reason], {"finish": finish.model_dump(mode="json")}, [again.guard])
    tripped = await ending_trips(finish, state, deps, findings=findings)
    refuse_fresh(tripped, state, {"finish": finish.model_dump(mode="json")})
    await tell_persistent(tripped, deps, round=round)
    warnings = [trip.reason for trip in tripped]
    known = {finding.id for finding in findings}
    return finish_request(
        finish, round=round, known=known, tried=bool(state["working_memory"]), warnings=warnings
    )


def _attention(state: AgentState, *, round: int, problem: str, tries: list[dict[str, object]]) -> AgentState:
    """Return the question what to do. Guidance that led nowhere counts as not yet heard."""
    request = attention_request(problem, tries, round=round)
    return AgentState(
        current_step=round,
        answer=None,
        proposal=None,
        gate=request.model_dump(mode="json"),
        guard_trips=state["guard_trips"],
        finish_refused=state["finish_refused"],
        tidied=state.get("tidied", 0),
    )


def _counted(counts: dict[str, int], guards: list[str]) -> dict[str, int]:
    return {**counts, **{guard: counts.get(guard, 0) + 1 for guard in guards}}


async def _finish(state: AgentState, deps: Deps, reached: list[str]) -> AgentState:
    round = state["current_step"]
    await deps.journal.emit("budget.exhausted", {"limits": reached}, round=round, key="budget/exhausted")
    return AgentState(is_finished=True, outcome=f"budget used up: {', '.join(reached)}", current_step=round)
