"""Drives a run until it waits for people or ends."""

import functools
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from agents.engine.deps import Deps
from agents.engine.graph import build_graph
from agents.engine.state import first_state

GRAPH_VERSION = "1"
"""Raised whenever a node is renamed, added or removed, so that waiting runs are not driven on blindly."""

STEP_LIMIT = 1_000_000
"""LangGraph's own limit restarts at each resume and so protects nothing; budgets are counted in rows."""


@dataclass(frozen=True)
class Driven:
    """Where the drive stopped: at a gate, or at the end with its outcome."""

    status: Literal["waiting", "finished"]
    gate: str = ""
    outcome: str = ""
    verdict: str = ""
    """The verdict of the last answer, so that a stop by veto is told from an end."""


@functools.cache
def _compiled() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph without a saver. Compiling takes as long as a round, and a reviewed run has a drive a round."""
    return build_graph(None)


async def drive(
    thread_id: str, *, deps: Deps, saver: BaseCheckpointSaver[Any], start: dict[str, Any] | None = None
) -> Driven:
    """Run or resume ``thread_id`` and return where it stopped. ``start`` is what a fork begins with.

    Safe to call again after any crash: finished nodes are not repeated, an unfinished node runs again
    from its first line and finds its effects in the journal. Raises what the ports raise.
    """
    graph = _compiled().copy({"checkpointer": saver})
    config: Any = {"configurable": {"thread_id": thread_id}, "recursion_limit": STEP_LIMIT}
    started = await saver.aget_tuple(config) is not None
    first: Any = {**first_state(), **(start or {})}
    state = await graph.ainvoke(None if started else first, config, context=deps, durability="sync")
    if "__interrupt__" in state:
        return Driven("waiting", gate=state["__interrupt__"][0].value["gate"])
    answer = state.get("answer") or {}
    return Driven("finished", outcome=state.get("outcome", ""), verdict=answer.get("verdict", ""))
