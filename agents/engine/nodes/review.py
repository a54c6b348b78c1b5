"""The gate. It only pauses: it runs again from its first line whenever the run is driven on."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agents.core.gates import GateRequest
from agents.engine.deps import Deps
from agents.engine.state import AgentState


async def review(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
    """Return the answer that the gate's row holds; without one, pause. A resume carries no value."""
    request = GateRequest.model_validate(state["gate"])
    answer = await runtime.context.journal.ask(request)
    if answer is None:
        interrupt({"gate": request.key})
    assert answer is not None
    decided = AgentState(answer=answer.model_dump(mode="json"))
    if answer.hypothesis is not None:
        decided["hypothesis"] = answer.hypothesis.model_dump(mode="json")
    return decided
