"""``list_tools`` and ``describe_tool``: how a reasoner finds a tool whose schema it was not shown."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.tools import EffectClass
from agents.tools.gate.check import find_tool
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool


class ToolLine(BaseModel):
    """A tool in a line."""

    name: str
    category: str
    does: str


class ToolList(BaseModel):
    """Tools in a line each."""

    tools: list[ToolLine]


class ToolDetails(BaseModel):
    """How a tool is called."""

    name: str
    does: str
    arguments: dict[str, Any]
    returns: dict[str, Any]
    examples: list[dict[str, Any]]


def directory_tools(tools: Callable[[], Mapping[str, Tool]]) -> list[Tool]:
    """Return the two tools over what ``tools`` returns when they are called."""

    @tool(category="tools", effect=EffectClass.LOCAL, in_process=True, examples=[{"category": "chemistry"}])
    def list_tools(
        category: Annotated[str, Field(max_length=64, description="Empty: all.")] = "",
    ) -> ToolList:
        """List the tools of this study by category, each with what it does."""
        specs = [each.spec for each in tools().values() if category in ("", each.spec.category)]
        specs.sort(key=lambda spec: (spec.category, spec.name))
        return ToolList(
            tools=[
                ToolLine(name=s.name, category=s.category, does=_first_sentence(s.description)) for s in specs
            ]
        )

    @tool(category="tools", effect=EffectClass.LOCAL, in_process=True, examples=[{"name": "list_tools"}])
    def describe_tool(name: Annotated[str, Field(min_length=1, max_length=64)]) -> ToolDetails:
        """Describe a tool: its arguments and result with units, and examples of calls."""
        spec = find_tool(name, tools()).spec
        return ToolDetails(
            name=spec.name,
            does=spec.description,
            arguments=spec.input_schema,
            returns=spec.output_schema,
            examples=spec.examples,
        )

    return [tool_of(list_tools), tool_of(describe_tool)]


def _first_sentence(text: str) -> str:
    head, stop, _ = text.partition(". ")
    return head.removesuffix(".") + "." if stop or head else ""
