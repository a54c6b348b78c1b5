"""Units as print spells them, understood: dimension and conversion, with pint."""

import re
from functools import lru_cache
from typing import Any

from agents.tools.units import registry

_NO_DIMENSION = re.compile(r"(?:wt|mol|vol|at)?%.*|‰|ppm|ppb|fold|cycles|equiv|")
_SPELLED = {"°C": "delta_degC", "°F": "delta_degF", "°": "degree", "Ω": "ohm", "h": "hour", "Å": "angstrom", "d": "day", "mesh": "", "HV1": "HV", "HV10": "HV"}  # fmt: skip
_ATOM = re.compile(r"(?P<symbol>[^\W\d_]+|°[CF]?|Ω|[^\W\d_]*Ω)(?P<power>-?\d)?")


@lru_cache(maxsize=512)
def unit_of(printed: str) -> Any:
    """Return the pint unit that ``printed`` (one spelling, see ``plain_unit``) means, or None.

    Temperatures are differences here: only their dimension and size count.
    """
    if _NO_DIMENSION.fullmatch(printed):
        return registry().parse_units("percent" if printed.endswith("%") else "dimensionless")
    try:
        return registry().parse_units(_expression(printed))
    except Exception:  # pint raises many kinds for what is no unit
        return None


def _expression(printed: str) -> str:
    text = (
        re.sub(r"mAhg", "mAh g", re.sub(r"mVs", "mV s", printed)).replace("Scm", "S cm").replace(" v/v", "")
    )

    def spell(match: re.Match[str]) -> str:
        symbol = match["symbol"]
        name = _SPELLED.get(symbol) or re.sub(r"([mμkn]?)Ah$", r"\1A*hour", symbol).replace("Ω", "ohm")
        name = re.sub(r"([kM]?)Wh$", r"\1W*hour", name)
        return f"({name})**{match['power']}" if match["power"] else f"({name})"

    return re.sub(r"\s*·\s*|\s+", "*", _ATOM.sub(spell, text))


def is_dimensionless(printed: str) -> bool:
    """Return True for percentages, parts, folds and no unit at all."""
    return bool(_NO_DIMENSION.fullmatch(printed))


def dimension_of(printed: str) -> str | None:
    """Return the dimension of a printed unit as text, or None when pint does not know the unit."""
    unit = unit_of(printed)
    return None if unit is None else str(unit.dimensionality)


@lru_cache(maxsize=256)
def pint_unit(expression: str) -> Any:
    """Return the unit that an expression in pint's own spelling means."""
    return (
        registry().parse_units(re.sub(r"\bK\b", "kelvin", expression))
        if expression
        else registry().Unit("dimensionless")
    )


def convert_value(value: float, *, given: str, wanted: str) -> float | None:
    """Return a reading in the unit ``wanted``, or None when the units do not go together."""
    from agents.tools.units import UnitMismatch, convert

    if given == wanted:
        return value
    try:
        return convert(value, given=given, wanted=wanted)
    except UnitMismatch:
        return None
