"""Packs a brief into a prompt of bounded size whose beginning stays the same from step to step.

The head holds what a run does not change: role, tools, reply format, goal, core constraints and, in the wide
layout, the numbers of the documents. Providers serve a repeated beginning from cache. The tail holds what
the last steps changed. Packing is pure: the same brief gives the same prompt, byte for byte.
"""

from collections.abc import Sequence
from typing import Literal

from agents.core.brief import Brief
from agents.core.errors import BadInput
from agents.core.history import History
from agents.core.model import Message, ReplyFormat
from agents.core.ranking import Rank, rank_by_words
from agents.core.science import Value
from agents.core.tokens import estimate_tokens
from agents.core.tools import ToolSpec
from agents.reasoners.language_model import lines as say
from agents.reasoners.language_model.cutting import Count
from agents.reasoners.language_model.formats import format_text, may_list, shape_text, turn_format
from agents.reasoners.language_model.section import Section, joined, shrink, size_of
from agents.reasoners.language_model.shortlist import is_shortened, shown_tools
from agents.reasoners.language_model.whole import document_sections, history_sections
from agents.reasoners.prompts import prompt_text

Layout = Literal["narrow", "wide", "whole"]

TOTAL: dict[Layout, int] = {"narrow": 1200, "wide": 1800}
"""The longest reasoning prompt, in tokens, unless goal, constraints and tools alone are longer."""
TOOLS: dict[Layout, int] = {"narrow": 420, "wide": 700}
"""Tokens after which tools are told with less detail."""
TAIL: dict[Layout, int] = {"narrow": 245, "wide": 265}
"""The longest tail of what the run itself brings, in tokens by the estimate; a log's exact count is 8 % higher."""
PEOPLE = 105
"""What people said, vetoed and refused has so much room beside that, and pushes out no memory."""
REPLY = 1024
"""Tokens of the window kept free for the reply, or a quarter of a small window."""
MARKS = 14
"""Tokens that the provider and the closing line add."""
CLOSING = "Your reply:"
_FROM_PEOPLE = ("guidance", "vetoes", "refusals")


class Part(Value):
    """One section as it will be sent. ``left_out`` counts the lines that were cut."""

    name: str
    text: str
    tokens: int
    is_stable: bool
    left_out: int = 0


class Prompt(Value):
    """What the reasoner sees next: two messages, and the same text section by section."""

    messages: list[Message]
    parts: list[Part]
    reply: ReplyFormat
    layout: Layout

    @property
    def sections(self) -> dict[str, int]:
        """Tokens of each section, by name, in the order of the prompt."""
        return {part.name: part.tokens for part in self.parts}

    @property
    def left_out(self) -> dict[str, int]:
        """Lines cut from each section that lost any, by name."""
        return {part.name: part.left_out for part in self.parts if part.left_out}

    @property
    def tokens(self) -> int:
        """Tokens of the whole prompt, the reply's schema included."""
        return sum(part.tokens for part in self.parts) + MARKS

    @property
    def head_tokens(self) -> int:
        """Tokens of the part that a provider can serve from cache."""
        return sum(part.tokens for part in self.parts if part.is_stable)


def pack(
    brief: Brief,
    *,
    layout: Layout = "narrow",
    window: int | None = None,
    count: Count = estimate_tokens,
    rank: Rank = rank_by_words,
) -> Prompt:
    """Return the prompt for ``brief``.

    ``rank`` chooses the tools that are told of when there are too many for all. ``window`` is the model's context in tokens, reply included; None sets no limit. Raises ``BadInput``
    naming the section when what may not be cut does not fit the window.
    """
    reply = turn_format(
        brief.tools,
        is_measured=bool(brief.protocol.objectives),
        is_listed=may_list(brief.tools),
        is_open=is_shortened(brief.tools, TOOLS[layout], count),
    )
    head, tail = _head(brief, layout, count, rank), _tail(brief, layout)
    for section in (*head, *tail):
        if section.rank:
            section.fit(section.ceiling, count)
    room = TOTAL[layout] if window is None else min(TOTAL[layout], window - _reply_room(window))
    room -= count(shape_text(reply)) + MARKS
    # The head may not depend on the tail: a head that changes is served from no cache.
    shrink(head, room - TAIL[layout] - PEOPLE, count)
    said = [section for section in tail if section.name in _FROM_PEOPLE]
    limit = TAIL[layout] + min(PEOPLE, size_of(said, count))
    shrink(tail, limit if window is None else min(limit, room - size_of(head, count)), count)
    if window is not None:
        _require([*head, *tail], count(shape_text(reply)) + MARKS, window, count)
    return _prompt(head, tail, reply, layout, count)


def choose_prompt(
    brief: Brief,
    *,
    cache_minimum: int,
    window: int | None = None,
    count: Count = estimate_tokens,
    rank: Rank = rank_by_words,
) -> Prompt:
    """Return the cheaper prompt: wide when its head is long enough for the provider's cache, else narrow; the
    whole history when the brief brings it."""
    if brief.history is not None:
        return _pack_whole(brief, brief.history, window=window, count=count, rank=rank)
    if cache_minimum:
        wide = pack(brief, layout="wide", window=window, count=count, rank=rank)
        if wide.head_tokens >= cache_minimum:
            return wide
    return pack(brief, layout="narrow", window=window, count=count, rank=rank)


def _pack_whole(brief: Brief, history: History, *, window: int | None, count: Count, rank: Rank) -> Prompt:
    reply = turn_format(
        brief.tools,
        is_measured=bool(brief.protocol.objectives),
        is_listed=may_list(brief.tools),
        is_open=is_shortened(brief.tools, TOOLS["wide"], count),
    )
    head = [section for section in _head(brief, "wide", count, rank) if section.name != "numbers"]
    head += document_sections(history)
    tail = history_sections(brief, history)
    if window is not None:
        _require([*head, *tail], count(shape_text(reply)) + MARKS, window, count)
    return _prompt(head, tail, reply, "whole", count)


def _head(brief: Brief, layout: Layout, count: Count, rank: Rank) -> list[Section]:
    protocol, may = brief.protocol, may_list(brief.tools)
    tools = shown_tools(brief.tools, protocol, TOOLS[layout], count, rank=rank, with_results=may)
    role = [prompt_text("reason")]
    if protocol.language != "en":
        role.append(prompt_text(f"language_{protocol.language}"))
    numbers = say.number_lines(protocol.digest)
    if layout == "narrow" and numbers:
        numbers = [f"{len(numbers)} numbers of the documents are stored{_lookup(brief.tools)}."]
    return [
        Section("role", role, is_ours=True),
        Section("tools", tools, title="Tools"),
        Section("format", [format_text(is_measured=bool(protocol.objectives), is_listed=may)], is_ours=True),
        Section("goal", say.goal_lines(brief)),
        Section("constraints", say.constraint_lines(brief), title="Constraints"),
        Section(
            "numbers",
            numbers,
            title="From the documents" if layout == "wide" else "",
            is_data=layout == "wide",
            rank=9,
            floor=30,
            ceiling=760,
            pointer=f"numbers stored{_lookup(brief.tools)}",
        ),
        # They change when people read one, so they stand in what a provider may serve from its cache.
        Section(
            "rules",
            say.rule_lines(brief),
            title="Rules from earlier runs",
            is_data=True,
            rank=8,
            floor=40,
            ceiling=180,
            pointer="rules stored; recall_findings tells them",
        ),
    ]


def _tail(brief: Brief, layout: Layout) -> list[Section]:
    last = f"lines in the record of round {brief.steps[-1].round}" if brief.steps else "lines in the record"
    sections = [
        Section("guidance", say.guidance_lines(brief), "A person says", False, 2, 60, 140, "earlier remarks"),
        Section("vetoes", say.veto_lines(brief), "Vetoed", False, 4, 40, 90, "earlier vetoes"),
        Section("hypothesis", say.hypothesis_lines(brief), "Hypothesis", False, 3, 40, 90),
        Section("findings", say.finding_lines(brief), "Findings", True, 4, 40, 120, "findings stored"),
        Section(
            "contradictions",
            say.contradiction_lines(brief),
            "These contradict each other: find out, then revise or retire one",
            True,
            2,
            60,
            120,
            "contradictions stored",
        ),
        Section("summary", say.summary_lines(brief), "Earlier", True, 9, 0, 40),
        Section(
            "experiments", say.ledger_lines(brief), "Experiments", True, 5, 40, 100, "lines in the ledger"
        ),
        Section("steps", say.step_lines(brief), "Last steps", True, 6, 40, 150, "earlier steps"),
        Section("observation", say.observation_lines(brief), "Last result", True, 7, 40, 120, last),
        Section("refusals", say.refusal_lines(brief), "Not accepted", False, 1, 80, 160, "reasons"),
        Section("budget", say.budget_lines(brief), "Budget left", False, 1, 20, 40),
    ]
    if layout == "wide":
        # With the head paid for once, a fuller tail is worth its tokens.
        for section in sections:
            section.ceiling += section.ceiling // 4
    return sections


def _lookup(tools: Sequence[ToolSpec]) -> str:
    """Name the tool that finds passages of the study's documents, when there is one."""
    names = sorted(
        spec.name
        for spec in tools
        if spec.name.startswith("search") and "document" in f"{spec.name} {spec.description}"
    )
    return f"; look them up with {names[0]}" if names else ""


def _require(sections: Sequence[Section], fixed: int, window: int, count: Count) -> None:
    needed = size_of(sections, count) + fixed + _reply_room(window)
    if needed <= window:
        return
    largest = max((s for s in sections if not s.rank), key=lambda section: count(section.text()))
    raise BadInput(
        f"The prompt does not fit the model: it needs {needed} tokens with room for the reply and the model "
        f"reads {window}. The largest section that may not be cut is {largest.name!r} with "
        f"{count(largest.text())} tokens: shorten it in the study, allow fewer tools, or choose a model with a "
        "larger context."
    )


def _reply_room(window: int) -> int:
    return min(REPLY, window // 4)


def _prompt(
    head: Sequence[Section], tail: Sequence[Section], reply: ReplyFormat, layout: Layout, count: Count
) -> Prompt:
    shape = shape_text(reply)
    parts = [Part(name="schema", text=shape, tokens=count(shape), is_stable=True)]
    parts += [_part(section, count, is_stable=True) for section in head if section.lines]
    parts += [_part(section, count, is_stable=False) for section in tail if section.lines]
    messages = [
        Message(role="system", content=joined(head)),
        Message(role="user", content=f"{joined(tail)}\n{CLOSING}".strip()),
    ]
    return Prompt(messages=messages, parts=parts, reply=reply, layout=layout)


def _part(section: Section, count: Count, *, is_stable: bool) -> Part:
    text = section.text()
    return Part(
        name=section.name, text=text, tokens=count(text), is_stable=is_stable, left_out=section.left_out
    )
