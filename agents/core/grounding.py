"""Is every number of a claim printed where the claim says it is from, with the same unit?"""

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from agents.core.quantities import Quantity, find_quantities, parse_value
from agents.core.unit_text import plain_unit

SMALL = 20
"""A plain whole number up to this is a count ("the better of 3"), and no measured value."""
_PRINTED = re.compile(r"[-−–]?\d[\d.,]*(?:\s?[×x·]\s?10\s?\^?[-−–]?\s?\d+|[eE][-+]?\d+)?")
_BARE = re.compile(r"(?<![A-Za-z_\d.,])[-−–]?\d[\d.,]*(?:[eE][-+]?\d+)?(?![A-Za-z_\d])")


F = TypeVar("F", bound=Callable[[str], Any])
REMEMBERED, LONG = 1024, 8_000
"""Sources of which a process keeps what it found, and their longest: every claim of a run is held against the same
items of its documents."""


def _remembered(find: F) -> F:
    known = functools.lru_cache(maxsize=REMEMBERED)(find)

    @functools.wraps(find)
    def found(text: str) -> Any:
        return known(text) if len(text) <= LONG else find(text)

    return cast(F, found)


@_remembered
def printed_numbers(text: str) -> frozenset[float]:
    """Return every number that ``text`` prints, with and without a sign that may be a dash."""
    return frozenset(value for printed in _PRINTED.findall(text) for value in _spellings(printed))


def ungrounded(text: str, sources: Sequence[str]) -> list[str]:
    """Return the numbers of ``text``, as printed, that no source prints, or only with another unit.

    A source that prints the number without a unit, as a row of a table does, supports any unit. Whole numbers
    up to 20 without a unit are counts and need no source.
    """
    numbers = {value for source in sources for value in printed_numbers(source)}
    units = _units_of(sources)
    missing: list[str] = []
    rest = list(text)
    for quantity in find_quantities(text):
        rest[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
        if not _is_grounded(quantity, numbers, units):
            missing.append(quantity.text)
    for match in _BARE.finditer("".join(rest)):
        values = _spellings(match[0])
        is_count = any(value.is_integer() and abs(value) <= SMALL for value in values)
        if values and not is_count and not values & numbers:
            missing.append(match[0].rstrip(".,"))
    return missing


def conflicting_unit(value: float, unit: str, quote: str) -> str:
    """Return the quantity in ``quote`` that prints ``value`` with another unit than ``unit``, or ''.

    Empty too when some place prints the same unit, or none prints any.
    """
    wanted = plain_unit(unit) if unit else ""
    printed = [q for q in find_quantities(quote) if value in _values(q)]
    if not wanted or not printed or any(q.unit == wanted for q in printed):
        return ""
    return printed[0].text


def _is_grounded(quantity: Quantity, numbers: set[float], units: dict[float, set[str]]) -> bool:
    for value in _values(quantity):
        known = units.get(value) or units.get(abs(value)) or set()
        if known and quantity.unit not in known and "" not in known:
            return False
        if not known and not {value, abs(value)} & numbers:
            return False
    return True


def _units_of(sources: Sequence[str]) -> dict[float, set[str]]:
    """Return the units that each number is printed with; '' where it also stands alone."""
    units: dict[float, set[str]] = {}
    for source in sources:
        for value, unit in _printed_units(source):
            units.setdefault(value, set()).add(unit)
    return units


@_remembered
def _printed_units(source: str) -> tuple[tuple[float, str], ...]:
    rest, found = list(source), []
    for quantity in find_quantities(source):
        rest[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
        found += [(value, quantity.unit) for value in _values(quantity)]
    return (*found, *((value, "") for value in printed_numbers("".join(rest))))


def _values(quantity: Quantity) -> set[float]:
    more = (quantity.high, quantity.uncertainty)
    return {quantity.value, *(value for value in more if value is not None)}


def _spellings(printed: str) -> set[float]:
    spelled = (printed, printed.rstrip(".,"), printed.lstrip("-−–").rstrip(".,"))
    return {value for text in spelled if (value := parse_value(text)) is not None}
