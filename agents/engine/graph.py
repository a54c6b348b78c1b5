"""The graph: digest → reason → review → act → update → reason … → summarize.

Each node is a step that says itself what comes after it: a router or a check of their own would add a superstep
and nothing else.
"""

import functools
from collections.abc import Awaitable, Callable
from typing import Any, get_args, get_type_hints

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.engine import routing
from agents.engine.deps import Deps
from agents.engine.nodes.act import act
from agents.engine.nodes.digest import digest
from agents.engine.nodes.reason import reason
from agents.engine.nodes.review import review
from agents.engine.nodes.summarize import summarize
from agents.engine.nodes.update import update
from agents.engine.state import AgentState

Node = Callable[[AgentState, Runtime[Deps]], Awaitable[AgentState]]
Route = Callable[[AgentState], str]

ROUND: dict[str, tuple[Node, Route]] = {
    "digest": (digest, routing.after_digest),
    "reason": (reason, routing.after_reason),
    "review": (review, routing.after_review),
    "act": (act, routing.after_act),
    "update": (update, routing.after_update),
    "summarize": (summarize, routing.after_summarize),
}
"""Each node, and where the graph goes after it."""

NODES = tuple(ROUND)


def _step(name: str, node: Node, route: Route) -> Any:
    """Return ``node`` as a step: with the run's watch around it, it writes what it changed and says what is next.

    An edge of LangGraph's own reads the whole state once more to say that, and a value that is written unchanged is
    stored again under a new version.
    """

    @functools.wraps(node)
    async def step(state: AgentState, runtime: Runtime[Deps]) -> Command[str]:
        with runtime.context.watch(name, state["current_step"]):
            found = await node(state, runtime)
        before: dict[str, Any] = dict(state)
        changed = {
            key: value
            for key, value in found.items()
            if key not in before or not _is_same(before[key], value)
        }
        return Command(update=changed, goto=route(AgentState(**{**state, **found})))

    return step


def _is_same(old: Any, new: Any) -> bool:
    """Return True for equal plain values and two empty ones. What holds anything is written: in it 1 equals True."""
    return type(old) is type(new) and old == new and not (old and isinstance(old, dict | list))


async def _at_start(state: AgentState) -> str:
    # LangGraph calls a plain function in a thread, which costs more than the whole step.
    return routing.at_start(state)


def build_graph(saver: BaseCheckpointSaver[Any] | None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the compiled graph over ``saver``."""
    graph = StateGraph(AgentState, context_schema=Deps)
    for name, (node, route) in ROUND.items():
        graph.add_node(name, _step(name, node, route), destinations=_targets(route))
    graph.add_conditional_edges(START, _at_start, list(_targets(routing.at_start)))
    return graph.compile(checkpointer=saver)


def _targets(route: Route) -> tuple[str, ...]:
    return get_args(get_type_hints(route)["return"])
