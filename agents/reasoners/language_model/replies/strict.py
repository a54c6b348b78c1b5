"""JSON read without indulgence: no NaN, no infinity, no key twice."""

import json
import math
from typing import Any

from agents.reasoners.language_model.replies.faults import Unusable
from agents.reasoners.language_model.replies.scan import is_too_deep

UNWRAP = 3
"""How often a JSON text may hold another JSON text."""


def require_flat(text: str) -> None:
    """Raise ``Unusable`` when ``text`` is nested so deep that reading it would exhaust the stack."""
    if is_too_deep(text):
        raise Unusable(
            "too_deep", "the JSON is nested far too deep; write the plain object that was asked for"
        )


def load_strict(text: str) -> Any:
    """Return the JSON value of ``text``. Raises ``Unusable`` for what must never be guessed at
    (``not_finite``, ``duplicate_keys``) and ``ValueError`` for what is no JSON."""
    return json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_distinct)


def unwrapped(value: Any) -> Any:
    """Return the object inside JSON texts, up to ``UNWRAP`` deep, or a list's only element; else ``value``."""
    for _ in range(UNWRAP):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, str):
            break
        require_flat(value)
        try:
            value = load_strict(value)
        except ValueError:
            break
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _refuse(name: str) -> Any:
    raise Unusable("not_finite", f"{name} is no number; give a finite number or leave the field out")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Unusable("not_finite", f"{text} is too large for a number")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise Unusable("duplicate_keys", f"the key {key!r} stands twice in one object")
        seen[key] = value
    return seen
