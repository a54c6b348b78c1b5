"""Repairs commas, quotes and literals of JSON, and proves that no number or key was changed.

json-repair is generous: it reads ``300 K`` as 300, ``NaN`` as a text, and the second of two equal keys. In an
action each of these would be a guess, so the result is compared with what stands outside the strings.
"""

import math
import re
from typing import Any

from agents.reasoners.language_model.replies.faults import Unusable
from agents.reasoners.language_model.replies.scan import outside_strings

_TOKEN = re.compile(r"[-+]?[A-Za-z_]\w*|[-+]?(?:\d[\w.+-]*|\.\d[\w.+-]*)|\"\"|[{}\[\]:,]|\S")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NOT_FINITE = frozenset({"nan", "inf", "infinity"})
_LITERALS = frozenset({"true", "false", "null", "none"})


def mend(text: str) -> Any:
    """Return the value of sloppy JSON. ``text`` is one balanced object or list.

    Raises ``Unusable`` when it cannot be mended without a guess.
    """
    from json_repair import loads

    tokens = _TOKEN.findall(outside_strings(text))
    numbers, colons = _checked(tokens)
    value = loads(text, skip_json_loads=True)
    found_numbers, found_keys = _leaves(value)
    if found_keys != colons:
        raise Unusable("duplicate_keys", "a key stands twice in one object, or a colon or comma is missing")
    if found_numbers != numbers:
        raise Unusable(
            "broken_json", "the JSON is broken near a number; write plain JSON numbers without units"
        )
    return value


def _checked(tokens: list[str]) -> tuple[list[float], int]:
    """Return the numbers in order and the count of colons; refuse words that are neither key nor literal."""
    numbers: list[float] = []
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        if token.lstrip("+-").lower() in _NOT_FINITE:
            raise Unusable("not_finite", f"{token} is no number; give a finite number or leave the field out")
        if _NUMBER.fullmatch(token):
            numbers.append(_finite(token))
        elif (token[0].isalnum() or token[0] in "_.+-") and after != ":" and token.lower() not in _LITERALS:
            raise Unusable("broken_json", f"{token!r} stands outside quotes")
    return numbers, tokens.count(":")


def _finite(token: str) -> float:
    value = float(token)
    if not math.isfinite(value):
        raise Unusable("not_finite", f"{token} is too large for a number")
    return value


def _leaves(value: Any) -> tuple[list[float], int]:
    """Return the numbers of a value in order and how many keys it has."""
    if isinstance(value, dict):
        parts = [_leaves(part) for part in value.values()]
        return [n for numbers, _ in parts for n in numbers], len(value) + sum(keys for _, keys in parts)
    if isinstance(value, list):
        parts = [_leaves(part) for part in value]
        return [n for numbers, _ in parts for n in numbers], sum(keys for _, keys in parts)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return [], 0
    return [float(value)], 0
