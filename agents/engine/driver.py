"""Drives a run until it waits for people or ends."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from agents.core import versions
from agents.engine.deps import Deps
from agents.engine.graph import build_graph
from agents.engine.state import first_state

GRAPHS: dict[str, Callable[[None], CompiledStateGraph[Any, Any, Any, Any]]] = {"1": build_graph}
"""How each version of the graph that can still be driven is built; a version that is dropped leaves here and
in ``agents.core.versions.DRIVABLE``."""

STEP_LIMIT = 1_000_000
"""LangGraph's own limit restarts at each resume and so protects nothing; budgets are counted in rows."""


TOLD = ["outcome", "answer"]
"""What the driver is told of the state; LangGraph puts it together anew at every step."""


@dataclass(frozen=True)
class Driven:
    """Where the drive stopped: at a gate, or at the end with its outcome."""

    status: Literal["waiting", "finished"]
    gate: str = ""
    outcome: str = ""
    verdict: str = ""
    """The verdict of the last answer, so that a stop by veto is told from an end."""


@functools.cache
def _compiled(version: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph without a saver. Compiling takes as long as a round, and a reviewed run has a drive a round."""
    return GRAPHS[version](None)


async def drive(
    thread_id: str,
    *,
    deps: Deps,
    saver: BaseCheckpointSaver[Any],
    start: dict[str, Any] | None = None,
    version: str = versions.GRAPH_VERSION,
) -> Driven:
    """Run or resume ``thread_id`` on the graph of ``version`` and return where it stopped.

    ``start`` is what a fork begins with.

    Safe to call again after any crash: finished nodes are not repeated, an unfinished node runs again
    from its first line and finds its effects in the journal. Raises what the ports raise.
    """
    graph = _compiled(version).copy({"checkpointer": saver})
    config: Any = {"configurable": {"thread_id": thread_id}, "recursion_limit": STEP_LIMIT}
    started = await saver.aget_tuple(config) is not None
    first: Any = {**first_state(), **(start or {})}
    ended: Any = await graph.ainvoke(
        None if started else first,
        config,
        context=deps,
        durability="sync",
        output_keys=TOLD,
        version="v2",
    )
    if ended.interrupts:
        return Driven("waiting", gate=ended.interrupts[0].value["gate"])
    told = ended.value or {}
    answer = told.get("answer") or {}
    return Driven("finished", outcome=told.get("outcome", ""), verdict=answer.get("verdict", ""))
