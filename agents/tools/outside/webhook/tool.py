"""An instrument as a tool: what a person would be asked to measure, it is asked; the result comes by callback."""

from collections.abc import Iterable
from typing import Any, Protocol

from agents.core.canonical import digest_of
from agents.core.outside import Definition, OutsideSource, OutsideTool
from agents.core.science import Objective, Space
from agents.core.tools import ToolSpec
from agents.tools.bench.ask import ask_tool, result_schema
from agents.tools.context import idempotency_key
from agents.tools.outside.tools import Watch, call, origin_of
from agents.tools.tool import Arguments, Tool

TAKEN: dict[str, Any] = {
    "type": "object",
    "properties": {"job": {"type": "string"}, "told": {"type": "string"}},
    "required": ["job"],
    "additionalProperties": False,
}
"""What the instrument says at once. The result has the shape that a person's entry has."""


class Jobs(Protocol):
    """The jobs that instruments have."""

    async def open(self, key: str, source_id: str) -> tuple[str, str]:
        """Return id and callback address of the job of the effect ``key``: the same one when asked again.

        Raises ``NotConfigured`` when the site does not know its own address.
        """


def definition_of_job() -> Definition:
    """Return the one tool that an instrument offers. Its schemas are the study's own."""
    told = "Hand an experiment of the study to the instrument; its result comes later."
    return Definition(
        remote="experiment",
        title="",
        description=told,
        call={"shape": "as is"},
        pin=digest_of(["webhook", 1]),
    )


def instrument_tools(
    sources: Iterable[OutsideSource],
    *,
    space: Space,
    objectives: list[Objective],
    watch: Watch,
    jobs: Jobs,
) -> dict[str, Tool]:
    """Return the instruments that were switched on, by name of their tool."""
    made = [
        Tool(
            spec=_spec(source, each, space, objectives),
            run=_runner(source, each, watch, jobs, returns=result_schema(space, objectives)),
        )
        for source in sources
        if source.kind == "webhook"
        for each in source.tools
    ]
    return {each.spec.name: each for each in made}


def _spec(source: OutsideSource, tool: OutsideTool, space: Space, objectives: list[Objective]) -> ToolSpec:
    asked = ask_tool(space=space, objectives=objectives).spec
    return asked.model_copy(
        update={
            "name": tool.name,
            "version": tool.definition.pin[:12],
            "title": f"Experiment on {source.name}",
            "description": tool.words or tool.definition.description,
            "output_schema": TAKEN,
            "executor": "instrument",
            "effect": tool.effect,
            "risk": tool.risk,
            "needs_review": tool.needs_review,
            "is_reversible": tool.is_reversible,
            "timeout_s": tool.timeout_s,
            "cost": tool.cost,
            "origin": origin_of(source),
        }
    )


def _runner(
    source: OutsideSource, tool: OutsideTool, watch: Watch, jobs: Jobs, *, returns: dict[str, Any]
) -> Any:
    async def run(arguments: Arguments) -> dict[str, Any]:
        await watch.admit(source.id, tool.name, tool.definition.pin)
        job, callback = await jobs.open(idempotency_key(), source.id)
        more = {"job": job, "callback": callback, "name": tool.name, "returns": returns}
        return await call(source, tool, arguments, **more)

    return run
