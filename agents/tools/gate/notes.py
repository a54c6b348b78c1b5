"""What the gate found on its way through a value: changes that it made, and faults."""

import json
import math
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from agents.core.text import shorten

Schema = dict[str, Any]


@dataclass
class Notes:
    """Coercions as dicts {"field", "received", "used"}; problems as ``BadInput`` carries them."""

    coercions: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)

    def changed(self, name: str, *, received: Any, used: Any) -> None:
        """Record that ``used`` stands for what was received."""
        self.coercions.append({"field": name, "received": plain(received), "used": used})

    def refuse(self, name: str, *, expected: str, received: Any, message: str) -> None:
        """Record a fault."""
        self.problems.append(
            {"field": name, "expected": expected, "received": plain(received), "message": message}
        )


def shown(value: Any) -> str:
    """Return ``value`` as a person reads it in a message: JSON, cut to one line."""
    return shorten(json.dumps(plain(value), ensure_ascii=False, default=str), 80)


def plain(value: Any) -> Any:
    """Return ``value`` fit for JSON: numbers without a JSON spelling become text, long values are cut."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return (
            value
            if is_finite(value)
            else shorten(str(value), 40)
            if isinstance(value, float)
            else "a huge number"
        )
    if isinstance(value, str):
        return value if len(value) <= 200 else shorten(value, 200)
    text = json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= 400 and "NaN" not in text and "Infinity" not in text else shorten(text, 200)


def is_finite(value: int | float) -> bool:
    """Return True when ``value`` fits a finite double."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def nearest(name: str, names: list[str]) -> str:
    """Return the known name that ``name`` probably means, or an empty text. Case does not count."""
    by_folded = {known.casefold(): known for known in names}
    close = get_close_matches(name.casefold(), list(by_folded), n=1, cutoff=0.6)
    return by_folded[close[0]] if close else ""


def folded(name: str) -> str:
    """Return ``name`` without case, spaces and joining marks, to compare spellings."""
    return "".join(letter for letter in name.casefold() if letter not in " \t\n_-")


def same_name(name: str, names: list[str]) -> str:
    """Return the one of ``names`` that is spelt alike but for case, spaces and joining marks, or empty text."""
    alike = [known for known in names if folded(known) == folded(name)]
    return alike[0] if len(alike) == 1 else ""
