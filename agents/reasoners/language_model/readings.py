"""Small readings of a reply's fields: safe coercions are made and noted, everything else is refused."""

import math
from typing import Any

from agents.reasoners.language_model.replies.faults import Unusable
from agents.reasoners.language_model.replies.strict import unwrapped

Notes = list[str]
"""Sentences about what was read otherwise than it was written."""


def number_of(value: Any, field: str, notes: Notes) -> float:
    """Return a finite number; ``"300"`` counts as 300 and is noted. Raises ``Unusable`` for anything else."""
    if isinstance(value, str):
        try:
            read = float(value.strip())
        except ValueError:
            raise _no_number(field, value) from None
        if not math.isfinite(read):
            raise Unusable("not_finite", f"{field}: {value} is no number; give a finite number")
        notes.append(f"{field} {value!r} read as {read:g}")
        return read
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no_number(field, value)
    return float(value)


def share_of(value: Any, field: str, notes: Notes) -> float | None:
    """Return a confidence from 0 to 1, or None with a note when it is none."""
    if value is None or value == "":
        return None
    try:
        read = number_of(value, field, notes)
    except Unusable:
        read = -1.0
    if 0 <= read <= 1:
        return read
    notes.append(f"{field} {value!r} left out: it is no share from 0 to 1")
    return None


def text_of(value: Any, key: str = "text") -> str:
    """Return a text given plainly or under ``key``; empty when there is none."""
    if isinstance(value, dict):
        value = value.get(key)
    return value.strip() if isinstance(value, str) else ""


def object_of(value: Any, field: str, notes: Notes) -> dict[str, Any]:
    """Return an object, also from JSON inside a string; nothing counts as an empty one.

    Raises ``Unusable`` for anything else.
    """
    if value is None or value == "":
        return {}
    inner: dict[str, Any] | Any = unwrapped(value)
    if not isinstance(inner, dict):
        raise Unusable("wrong_shape", f"{field} must be an object, not {shown(value)}")
    if inner is not value:
        notes.append(f"{field} unwrapped")
    return dict(inner)


def rounds_of(value: Any, newest: int) -> list[int]:
    """Return the round numbers in ``value`` that are past, once each."""
    items = value if isinstance(value, list) else [value]
    numbers = [int(item) for item in items if isinstance(item, int | str) and str(item).strip().isdigit()]
    return sorted({number for number in numbers if 0 < number <= newest})


def shown(value: Any) -> str:
    """Return a received value, short."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _no_number(field: str, value: Any) -> Unusable:
    return Unusable("wrong_shape", f"{field}: expected a number, received {shown(value)}")
