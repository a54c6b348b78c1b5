"""Finding objects in text, and telling strings from what stands outside them, in strict and sloppy JSON."""

import re
from collections.abc import Iterator

_AFTER_STRING = re.compile(r"\s*(?:[,:}\]]|\Z)")
_STARTS = re.compile(r"\{\s*(?:[\"'}]|\w+\s*:)")
_OPEN, _CLOSE = "{[", "}]"
_QUOTES = "\"'"


def string_end(text: str, start: int) -> int:
    """Return the place of the quote that closes the string opened at ``start``, or -1.

    A quote closes when what follows it, spaces aside, could follow a string. So ``'it's'`` is one string,
    and in valid JSON the answer is always the right one.
    """
    quote, at = text[start], start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == quote and _AFTER_STRING.match(text, at + 1):
            return at
        at += 1
    return -1


DEEPEST = 40
"""Brackets inside brackets. A turn has six; whatever has hundreds would exhaust the stack of every later step."""


def objects_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each outermost balanced ``{…}`` of ``text``, in order.

    An object that never ends ends the search: what stands inside it is part of something unfinished.
    """
    at = text.find("{")
    while at >= 0:
        end = balanced_end(text, at)
        if end < 0:
            if _STARTS.match(text, at):
                return
            at = text.find("{", at + 1)
            continue
        yield at, end
        at = text.find("{", end)


def balanced_end(text: str, start: int) -> int:
    """Return the place after the bracket that closes the one at ``start``, or -1 when none does, or only one that
    is nested too deep: a reply of nothing but brackets is not searched again for each of them."""
    depth, at = 0, start
    while at < len(text):
        character = text[at]
        if character in _QUOTES and _may_open(text, at):
            end = string_end(text, at)
            if end < 0:
                return -1
            at = end + 1
            continue
        depth += (character in _OPEN) - (character in _CLOSE)
        at += 1
        if depth == 0:
            return at
        if depth > DEEPEST:
            return -1
    return -1


def is_too_deep(text: str) -> bool:
    """Return True when brackets outside strings nest deeper than ``DEEPEST``, closed or not."""
    depth = 0
    for character in outside_strings(text):
        depth += (character in _OPEN) - (character in _CLOSE)
        if depth > DEEPEST:
            return True
        depth = max(depth, 0)
    return False


def outside_strings(text: str) -> str:
    """Return ``text`` with every string replaced by ``""``."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in _QUOTES and _may_open(text, at):
            end = string_end(text, at)
            if end >= 0:
                parts.append('""')
                at = end + 1
                continue
        parts.append(text[at])
        at += 1
    return "".join(parts)


def _may_open(text: str, at: int) -> bool:
    """An apostrophe inside a bare word opens nothing."""
    at -= 1
    while at >= 0 and text[at].isspace():
        at -= 1
    return at < 0 or text[at] in "{[:,"
