"""Takes in what the researcher kept of the documents: once, at the start of the run."""

from langgraph.runtime import Runtime

from agents.engine.deps import Deps
from agents.engine.state import AgentState


async def digest(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
    """File the goal, the core constraints and the first hypothesis from the study's digest."""
    protocol = runtime.context.protocol
    constraints = [
        {"id": item.id, "text": item.text, "page": item.source.page, "document": item.source.document}
        for item in protocol.constraints
    ]
    text = protocol.initial_hypothesis
    hypothesis = {"text": text, "refuted_by": "", "confidence": None} if text else None
    documents = [document.content_hash for document in protocol.documents]
    await runtime.context.journal.emit(
        "digest.filed",
        {
            "goal": protocol.goal,
            "constraints": constraints,
            "documents": [{"id": d.id, "name": d.name, "pages": d.pages} for d in protocol.documents],
            "items": len(protocol.digest),
            "hypothesis": hypothesis,
        },
        key="digest",
    )
    return AgentState(
        input_document=documents,
        overall_goal=protocol.goal,
        core_constraints=constraints,
        hypothesis=hypothesis,
    )
