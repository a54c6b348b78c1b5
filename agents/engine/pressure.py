"""When memory runs short: the working memory is made smaller, the caches are let go, and the run goes on."""

from agents.engine.deps import Deps
from agents.engine.state import AgentState

KEPT = 1
"""Steps and lines of working memory that stay: the last one is what the next step follows from."""


def is_small(state: AgentState) -> bool:
    """Return True when there is nothing more to let go of."""
    seen = state["observation"] or {}
    return max(len(state["completed_steps"]), len(state["working_memory"])) <= KEPT and not seen.get("data")


async def trim(state: AgentState, deps: Deps, *, why: str, round: int) -> AgentState:
    """Return what changes in ``state`` for a smaller working memory, after letting the caches go.

    Findings, hypothesis, constraints and the log keep everything: a step is only told less of the last ones.
    """
    deps.relieve()
    seen = state["observation"]
    small = AgentState(
        completed_steps=state["completed_steps"][-KEPT:],
        working_memory=state["working_memory"][-KEPT:],
        observation={**seen, "data": {}} if seen else None,
    )
    payload = {"reason": why, "kept": {"steps": len(small["completed_steps"]), "findings": "all"}}
    await deps.journal.emit("memory.trimmed", payload, round=round, key=f"{round}/memory/trimmed")
    return small
