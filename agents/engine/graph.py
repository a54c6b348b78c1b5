"""The graph: digest → reason → review → act → update → reason … → summarize.

Router and check are edges, since a node there would add a superstep and nothing else.
"""

import functools
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agents.engine import routing
from agents.engine.deps import Deps
from agents.engine.nodes.act import act
from agents.engine.nodes.digest import digest
from agents.engine.nodes.reason import reason
from agents.engine.nodes.review import review
from agents.engine.nodes.summarize import summarize
from agents.engine.nodes.update import update
from agents.engine.state import AgentState

NODES = ("digest", "reason", "review", "act", "update", "summarize")


Node = Callable[[AgentState, Runtime[Deps]], Awaitable[AgentState]]


def _watched(name: str, node: Node) -> Any:
    """Return ``node`` with the run's watch around it."""

    @functools.wraps(node)
    async def watched(state: AgentState, runtime: Runtime[Deps]) -> AgentState:
        with runtime.context.watch(name, state["current_step"]):
            return await node(state, runtime)

    return watched


def _here(route: Callable[[AgentState], str]) -> Callable[[AgentState], Awaitable[str]]:
    """Return ``route`` as LangGraph asks it without a hop to a thread, which costs more than the whole step."""

    @functools.wraps(route)
    async def routed(state: AgentState) -> str:
        return route(state)

    return routed


def build_graph(saver: BaseCheckpointSaver[Any] | None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the compiled graph over ``saver``."""
    graph = StateGraph(AgentState, context_schema=Deps)
    for name, node in zip(NODES, (digest, reason, review, act, update, summarize), strict=True):
        graph.add_node(name, _watched(name, node))
    graph.add_conditional_edges(START, _here(routing.at_start))
    graph.add_edge("digest", "reason")
    graph.add_conditional_edges("reason", _here(routing.after_reason))
    graph.add_conditional_edges("review", _here(routing.after_review))
    graph.add_conditional_edges("act", _here(routing.after_act))
    graph.add_conditional_edges("update", _here(routing.after_update))
    graph.add_edge("summarize", END)
    return graph.compile(checkpointer=saver)
