"""The report as Markdown that reads well as it is, in any reader."""

from collections.abc import Callable, Iterator
from typing import Any

from reviews.exports.blocks import (
    Cell,
    Change,
    Document,
    Facts,
    Figure,
    Items,
    Notice,
    Paragraph,
    Picture,
    Prose,
    Table,
)
from reviews.exports.escape import markdown_text as text


def write_markdown(document: Document) -> str:
    """Return the file. Every text is escaped; plots become rows of bars."""
    parts = [f"# {text(document.title)}", text(document.subtitle)]
    for section in document.sections:
        parts.append(f"## {text(section.title)}")
        parts += [_WRITERS[block.kind](block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Change):
        return f"{text(cell.old)} → **{text(cell.new)}**"
    return text(cell)


def _paragraph(block: Paragraph) -> str:
    return "\n\n".join(text(line) for line in block.text.splitlines() if line.strip())


def _notice(block: Notice) -> str:
    return f"> **{text(block.text)}**"


def _prose(block: Prose) -> str:
    return block.text


def _facts(block: Facts) -> str:
    return "\n".join(f"- {text(name)}: {_cell(value)}" for name, value in block.rows)


def _items(block: Items) -> str:
    return "\n".join(line for item in block.rows for line in _item(item))


def _item(item: Any) -> Iterator[str]:
    yield f"- **{text(item.head)}**"
    for name, value in item.lines:
        yield f"  - {text(name)}: {_cell(value)}"
    if item.quote:
        yield f"  - “{text(item.quote)}” ({text(item.place)})"
    elif item.place:
        yield f"  - {text(item.place)}"


def _table(block: Table) -> str:
    rules = ["---:" if place in block.numeric else "---" for place in range(len(block.columns))]
    lines = [_line(map(text, block.columns)), _line(rules)]
    return "\n".join([*lines, *(_line(map(_cell, row)) for row in block.rows)])


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _figure(block: Figure) -> str:
    return f"{text(block.caption)}\n\n{block.sketch}" if block.sketch else text(block.caption)


def _picture(block: Picture) -> str:
    return f"{text(block.caption)}  \n`sha256 {block.content_hash}`"


_WRITERS: dict[str, Callable[[Any], str]] = {
    Paragraph.kind: _paragraph,
    Notice.kind: _notice,
    Prose.kind: _prose,
    Facts.kind: _facts,
    Items.kind: _items,
    Table.kind: _table,
    Figure.kind: _figure,
    Picture.kind: _picture,
}
