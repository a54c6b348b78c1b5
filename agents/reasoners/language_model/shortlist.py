"""The tools of a prompt: all of them while they fit, else categories and a short list found by meaning.

What is listed depends on the study alone, never on the step: the head of the prompt stays the same.
"""

from collections import Counter
from collections.abc import Sequence

from agents.core.names import DESCRIBE_TOOL, LIST_TOOLS
from agents.core.ranking import Rank, rank_by_words
from agents.core.study import StudyProtocol
from agents.core.tools import ToolSpec
from agents.reasoners.language_model.cutting import Count
from agents.reasoners.language_model.signatures import NO_WORDS, tool_line, tool_lines

MOST_CATEGORIES = 40


def shown_tools(
    tools: Sequence[ToolSpec],
    protocol: StudyProtocol,
    room: int,
    count: Count,
    *,
    rank: Rank = rank_by_words,
    with_results: bool = False,
) -> list[str]:
    """Return a line a tool when all fit ``room`` tokens with their arguments, else the short list.

    Without the tools that find tools nothing may be left out, and all are told with less detail.
    """
    if not is_shortened(tools, room, count):
        return tool_lines(tools, room, count, with_results=with_results)
    kept = [spec for spec in tools if _is_kept(spec)]
    lines = [tool_line(spec) for spec in sorted(kept, key=lambda spec: spec.name)]
    rest = sorted((spec for spec in tools if not _is_kept(spec)), key=lambda spec: spec.name)
    left = room - count("\n".join([*lines, *_categories(rest)]))
    chosen: list[str] = []
    for place in rank(question_of(protocol), [text_of(spec) for spec in rest]):
        line = tool_line(rest[place])
        left -= count(line) + 1
        if left < 0:
            break
        chosen.append(line)
    return [*lines, *sorted(chosen), *_categories(rest)]


def is_shortened(tools: Sequence[ToolSpec], room: int, count: Count) -> bool:
    """Return True when the tools do not fit with their arguments, and others can find what is left out."""
    names = {spec.name for spec in tools}
    if not {LIST_TOOLS, DESCRIBE_TOOL} <= names:
        return False
    return count("\n".join(tool_line(spec, detail=NO_WORDS) for spec in tools)) > room


def question_of(protocol: StudyProtocol) -> str:
    """Return what tools are looked for: the goal, what is measured and what can be set."""
    names = [o.name for o in protocol.objectives] + [p.name for p in protocol.space.parameters]
    return " ".join([protocol.goal, protocol.domain, *names]).strip()


def text_of(spec: ToolSpec) -> str:
    """Return what a tool is found by."""
    return f"{spec.title or spec.name} ({spec.category}): {spec.description}"


def _is_kept(spec: ToolSpec) -> bool:
    return spec.is_experiment or spec.name in (LIST_TOOLS, DESCRIBE_TOOL)


def _categories(rest: Sequence[ToolSpec]) -> list[str]:
    counts = Counter(spec.category for spec in rest)
    listed = ", ".join(f"{name} {counts[name]}" for name in sorted(counts)[:MOST_CATEGORIES])
    return [
        f"In all {len(rest)} more, by category: {listed}. Find them with {LIST_TOOLS} and {DESCRIBE_TOOL}."
    ]
