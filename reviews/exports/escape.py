"""Untrusted text on its way into a file that somebody opens: shown as it is, never obeyed."""

import re
from typing import Any

_TURNING = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_SPECIAL = re.compile(r"[\\`*_\[\]|~#$]")
_OPENING = re.compile(r"^([-+=](?=[\s=+-]|$)|\d{1,9}(?=[.)](\s|$)))")
_SPACE = re.compile("[ \t\r\n\f\v\x1c-\x1f\x85\u2028\u2029]+")
"""White space but for the kinds that keep a number and its unit together."""
_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
_FORMULA = tuple("=+-@＝＋－＠\t\r\n")


def shown(value: Any) -> Any:
    """Return a JSON value whose texts show a mark for every character that turns the direction of writing.

    Such characters make a text look like another one. The mark is one character too, so that a name at its
    longest stays valid.
    """
    if isinstance(value, str):
        return _TURNING.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {shown(key): shown(item) for key, item in value.items()}
    return value


def markdown_text(text: str) -> str:
    """Return ``text`` on one line so that any Markdown reader shows it letter by letter.

    Angle brackets and ampersands become entities, since readers without CommonMark's rules take a
    backslash before ``<`` for text and the tag for a tag.
    """
    line = _entities(_SPECIAL.sub(lambda match: "\\" + match.group(), _SPACE.sub(" ", text).strip()))
    return _OPENING.sub(_escaped_opening, line)


def _escaped_opening(match: re.Match[str]) -> str:
    """A number keeps its digits: ``1.`` would begin a list, ``1\\.`` does not."""
    return match.group() + "\\" if match.group()[0].isdigit() else "\\" + match.group()


def _entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def tame_markdown(text: str, *, below: int) -> str:
    """Return Markdown of a reasoner for a place under a heading of level ``below``.

    Lists, tables, emphasis and headings stay; HTML, links, images and code fences become plain text, so
    that nothing is loaded and nothing swallows what follows.
    """
    lines = text.splitlines()
    levels = [len(heading[1]) for line in lines if (heading := _HEADING.match(line))]
    return "\n".join(_tame_line(line, below + 1 - min(levels, default=1)) for line in lines)


def _tame_line(line: str, lower: int) -> str:
    heading = _HEADING.match(line)
    if heading:
        line = "#" * min(6, len(heading[1]) + lower) + line[heading.end() :]
    line = _entities(re.sub(r"[\\`\[\]$]", lambda match: "\\" + match.group(), line))
    # A line of dashes would make a heading of the line above it, one of tildes a code fence.
    return re.sub(r"^(\s*)(?=(-+|=+|~{3,})\s*$|~{3,})", r"\1\\", line)


def sheet_cell(value: Any) -> Any:
    """Return a cell of a table that spreadsheets open: numbers stay numbers, text never becomes a formula."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        value = str(value)
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}" if value.startswith(_FORMULA) or value.lstrip().startswith(_FORMULA) else value
