"""``list_tools`` and ``describe_tool``: how a reasoner finds a tool whose schema it was not shown."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.ranking import Rank, rank_by_words
from agents.core.tools import EffectClass, ToolSpec
from agents.tools.gate.check import find_tool
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool

MOST_LISTED = 30


class ToolLine(BaseModel):
    """A tool in a line."""

    name: str
    category: str
    does: str


class ToolCategory(BaseModel):
    """How many tools a category has."""

    name: str
    tools: int


class ToolList(BaseModel):
    """Tools in a line each, how many more there are, and the categories to look in."""

    tools: list[ToolLine]
    more: int
    categories: list[ToolCategory]


class ToolDetails(BaseModel):
    """How a tool is called."""

    name: str
    does: str
    arguments: dict[str, Any]
    returns: dict[str, Any]
    examples: list[dict[str, Any]]


def directory_tools(tools: Callable[[], Mapping[str, Tool]], rank: Rank = rank_by_words) -> list[Tool]:
    """Return the two tools over what ``tools`` returns when they are called; ``rank`` finds them by what they do."""

    @tool(category="tools", effect=EffectClass.LOCAL, in_process=True, examples=[{"category": "chemistry"}])
    def list_tools(
        category: Annotated[str, Field(max_length=64, description="Empty: all.")] = "",
        about: Annotated[str, Field(max_length=200, description="What it should do; best first.")] = "",
    ) -> ToolList:
        """List the tools of this study, each with what it does: of a category, or what fits a task best."""
        specs = sorted((each.spec for each in tools().values()), key=lambda spec: (spec.category, spec.name))
        counts = Counter(spec.category for spec in specs)
        if category and category not in counts:
            raise BadInput(f"there is no category {category!r}; they are: {', '.join(sorted(counts))}")
        found = [spec for spec in specs if category in ("", spec.category)]
        if about.strip():
            found = [found[place] for place in rank(about, [_text_of(spec) for spec in found])]
        return ToolList(
            tools=[
                ToolLine(name=s.name, category=s.category, does=_first_sentence(s.description))
                for s in found[:MOST_LISTED]
            ],
            more=max(0, len(found) - MOST_LISTED),
            categories=[ToolCategory(name=name, tools=counts[name]) for name in sorted(counts)],
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


def _text_of(spec: ToolSpec) -> str:
    return f"{spec.title or spec.name} ({spec.category}): {spec.description}"


def _first_sentence(text: str) -> str:
    head, stop, _ = text.partition(". ")
    return head.removesuffix(".") + "." if stop or head else ""
