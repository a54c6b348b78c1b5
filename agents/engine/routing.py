"""Where the graph goes next: pure functions of the state."""

from typing import Literal

from agents.core.gates import GateKind, Verdict
from agents.engine.state import AgentState


def at_start(state: AgentState) -> Literal["digest", "review", "reason"]:
    """A run begins with its digest; a fork at the gate where it left its parent, or after the parent's last round."""
    if state["gate"] is not None:
        return "review"
    return "reason" if state["current_step"] else "digest"


def after_digest(state: AgentState) -> Literal["reason"]:
    """What is known is taken in once; then the rounds begin."""
    return "reason"


def after_reason(state: AgentState) -> Literal["review", "summarize"]:
    """A proposal (or a question) goes to the gate; a used-up budget ends the run."""
    return "summarize" if state["is_finished"] else "review"


def after_review(state: AgentState) -> Literal["act", "reason", "summarize"]:
    """What was let through is acted on; what was refused goes back to the reasoner."""
    gate, answer = state["gate"], state["answer"]
    assert gate is not None
    assert answer is not None
    kind, verdict = GateKind(gate["kind"]), Verdict(answer["verdict"])
    if verdict is Verdict.STOP:
        return "summarize"
    if kind is GateKind.FINISH:
        return "summarize" if verdict is Verdict.APPROVE else "reason"
    if verdict is Verdict.VETO or kind is GateKind.ATTENTION:
        return "reason"
    return "act"


def after_act(state: AgentState) -> Literal["update", "review"]:
    """A result is filed; an action that waits for a person goes to the gate."""
    return "review" if state["answer"] is None else "update"


def after_update(state: AgentState) -> Literal["reason", "summarize"]:
    """The check: finished or on."""
    return "summarize" if state["is_finished"] else "reason"


def after_summarize(state: AgentState) -> Literal["__end__"]:
    """The conclusion is the last thing."""
    return "__end__"
