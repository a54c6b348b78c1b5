"""A report as plain blocks: built once, then written as HTML or as Markdown.

Every text in a block is untrusted and holds no markup; the writers escape it.
"""

import base64
from dataclasses import dataclass, field
from typing import ClassVar

from agents.core.pictures import PNG
from reviews.present.charts import Chart


@dataclass(frozen=True)
class Change:
    """A value that a person changed: what was proposed and what was let through."""

    old: str
    new: str


Cell = str | Change


@dataclass(frozen=True)
class Paragraph:
    """Running text; line breaks are kept."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True)
class Notice:
    """What the reader must not overlook."""

    kind: ClassVar[str] = "notice"
    text: str


@dataclass(frozen=True)
class Prose:
    """Markdown that a reasoner wrote, tamed: see ``escape.tame_markdown``."""

    kind: ClassVar[str] = "prose"
    text: str


@dataclass(frozen=True)
class Facts:
    """Names with their values."""

    kind: ClassVar[str] = "facts"
    rows: list[tuple[str, Cell]]


@dataclass(frozen=True)
class Item:
    """An entry of a list: its heading, named lines below it, and the quote it rests on with its place."""

    head: str
    lines: list[tuple[str, Cell]] = field(default_factory=list)
    quote: str = ""
    place: str = ""


@dataclass(frozen=True)
class Items:
    """A list of entries."""

    kind: ClassVar[str] = "items"
    rows: list[Item]


@dataclass(frozen=True)
class Table:
    """Rows under ``columns``. ``numeric`` are the places of the columns that are set flush right."""

    kind: ClassVar[str] = "table"
    columns: list[str]
    rows: list[list[Cell]]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Figure:
    """A plot. ``drawing`` names its template; ``sketch`` says the same where nothing can be drawn."""

    kind: ClassVar[str] = "figure"
    chart: Chart
    drawing: str
    caption: str
    sketch: str


@dataclass(frozen=True)
class Picture:
    """A PNG that a tool drew. ``content_hash`` names it in the log, where nothing can be shown too."""

    kind: ClassVar[str] = "picture"
    content: bytes
    content_hash: str
    caption: str

    @property
    def source(self) -> str:
        """The picture itself as an address: nothing is loaded."""
        return f"data:{PNG};base64,{base64.b64encode(self.content).decode()}"


Block = Paragraph | Notice | Prose | Facts | Items | Table | Figure | Picture


@dataclass(frozen=True)
class Section:
    """A titled part of the report; one without blocks is left out."""

    title: str
    blocks: list[Block]


@dataclass(frozen=True)
class Document:
    """The whole report. ``language`` is a code as HTML's ``lang`` takes it."""

    title: str
    subtitle: str
    language: str
    sections: list[Section]
