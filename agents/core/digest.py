"""What a document is reduced to: read once, every item with page and quote."""

from typing import Any, Literal

from pydantic import Field

from agents.core.science import Source, Value

ItemKind = Literal["goal", "method", "constraint", "parameter", "result", "hypothesis"]


class Page(Value):
    """One page of a document as text. ``number`` counts from 1. Formats without pages have page 1..n by section."""

    number: int
    text: str


class PrintedTable(Value):
    """A table as printed on ``page``: its caption, and rows of cells; every row has one cell a column."""

    page: int
    caption: str = ""
    rows: list[list[str]]


class ParsedDocument(Value):
    """A document's text and what the reader noticed about it."""

    name: str
    media_type: str
    pages: list[Page]
    tables: list[PrintedTable] = Field(default_factory=list)
    language: Literal["en", "zh", "other"] = "en"
    warnings: list[str] = Field(default_factory=list)


class Passage(Value):
    """A retrievable part of a page: ``start`` and ``end`` are character offsets in the page's text."""

    document_id: str
    document: str
    index: int
    page: int
    start: int
    end: int
    text: str


class DigestItem(Value):
    """One thing worth keeping. ``data`` is typed by kind:

    goal {}; method {}; constraint {"predicate": Predicate | None}; parameter: a ``Parameter`` as JSON;
    result {"name", "value", "unit", "conditions": {...}, "table": str}; hypothesis {"refuted_by": str}.
    A result of several numbers names the first and adds them all: ``responses`` for a row of a table (with
    ``row``, its name), ``numbers`` for a sentence, ``series`` for a whole table.
    """

    kind: ItemKind
    text: str
    data: dict[str, Any] = Field(default_factory=dict)
    source: Source
    note: str = ""


class Digest(Value):
    """The digest of one document. ``how`` tells the reader which way it was made.

    ``coverage`` lists numbers with units that were seen and are in no item, as
    {"text": "1.25 ml", "page": 3}; ``captured`` and ``seen`` count them.
    """

    how: Literal["extractive", "language model"]
    items: list[DigestItem] = Field(default_factory=list)
    captured: int = 0
    seen: int = 0
    uncovered: list[dict[str, Any]] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
