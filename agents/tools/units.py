"""Units of measurement: parsing, comparing and converting, with pint."""

import re
from functools import lru_cache
from typing import Any

_SPELLINGS = {
    "℃": "°C",
    "℉": "°F",
    "Ω": "ohm",
    "％": "%",
    "wt%": "%",
    "wt.%": "%",
    "w/w%": "%",
    "mol%": "%",
    "vol%": "%",
    "v/v%": "%",
    "area%": "%",
    "‰": "permille",
}
"""Spellings that pint does not know. Percentages of any kind are compared as percentages."""

_TEMPERATURE = {"[temperature]": 1}

_TEXT_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*", re.DOTALL)


class UnitMismatch(ValueError):
    """Two units that cannot be converted into each other, or one that is unknown."""


@lru_cache(maxsize=1)
def registry() -> Any:
    """Return the one pint registry; made on first use because it takes half a second."""
    import pint

    made: Any = pint.UnitRegistry(cache_folder=None)
    return made


def same_unit(a: str, b: str) -> bool:
    """Return True for two spellings of one unit, such as ``ml`` and ``mL``."""
    if _plain(a) == _plain(b):
        return True
    left, right = _parsed(a), _parsed(b)
    return left is not None and right is not None and left == right


def convert(value: float, *, given: str, wanted: str) -> float:
    """Return ``value`` in the unit ``wanted``. Temperatures are taken as readings, not as differences.

    Raises ``UnitMismatch`` when a unit is unknown or the dimensions differ.
    """
    if same_unit(given, wanted):
        return value
    source, target = _known(given), _known(wanted)
    if source.dimensionality != target.dimensionality:
        raise UnitMismatch(f"{given or 'no unit'} cannot be converted to {wanted or 'no unit'}")
    return _tidy(registry().Quantity(value, source).to(target).magnitude)


def convert_difference(value: float, *, given: str, wanted: str) -> float:
    """Return an uncertainty or another difference in the unit ``wanted``: 1 K is 1 °C here.

    Raises ``UnitMismatch`` as ``convert`` does.
    """
    return _tidy(convert(value, given=given, wanted=wanted) - convert(0.0, given=given, wanted=wanted))


def split_quantity(text: str) -> tuple[float, str] | None:
    """Return number and unit of ``"25 mL"``; the unit is empty for ``"25"``; None when it does not start
    with a plain decimal number."""
    match = _TEXT_NUMBER.fullmatch(text.replace("−", "-"))
    return (float(match[1]), match[2]) if match else None


def is_known(unit: str) -> bool:
    """Return True when pint can read ``unit``; an empty unit is dimensionless and known."""
    return _parsed(unit) is not None


def _known(unit: str) -> Any:
    parsed = _parsed(unit)
    if parsed is None:
        raise UnitMismatch(f"{unit!r} is no known unit")
    return parsed


@lru_cache(maxsize=512)
def _parsed(unit: str) -> Any:
    text = _plain(unit)
    try:
        found = registry().parse_units(_SPELLINGS.get(text, text))
        # In a compound such as K/min a temperature is a difference, whose zero does not matter.
        return found if found.dimensionality == _TEMPERATURE else registry().Unit(_differences(found))
    except Exception:  # pint raises many kinds for text that is no unit, AssertionError among them
        return None


def _differences(unit: Any) -> Any:
    swaps = {"degree_Celsius": "delta_degree_Celsius", "degree_Fahrenheit": "delta_degree_Fahrenheit"}
    return unit._units.__class__({swaps.get(name, name): power for name, power in unit._units.items()})


def _plain(unit: str) -> str:
    return " ".join(unit.split()).replace("μ", "µ")


def _tidy(value: float) -> float:
    """Drop the last digits, which are noise of the conversion factors."""
    return float(f"{value:.12g}")
