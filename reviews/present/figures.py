"""Numbers as a person reads them: value, uncertainty and unit set together."""

import math
from typing import Any

THIN = "\u202f"
NO_BREAK = "\u00a0"


def number(value: Any, digits: int = 4) -> str:
    """Return ``value`` with at most ``digits`` significant digits, thousands apart, no trailing zeros.

    Whole numbers keep all their digits. What is not a number is returned as text.
    """
    if value is None or value == "":
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if not math.isfinite(value):
        return str(value)
    if float(value).is_integer() and abs(value) < 1e15:
        return _grouped(f"{int(value):,}")
    if abs(value) >= 1e6 or abs(value) < 1e-4:
        return f"{value:.{digits - 1}e}".replace("-", "−").replace("+", "")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return _grouped(_bare(f"{value:,.{decimals}f}"))


def _bare(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _grouped(text: str) -> str:
    return text.replace(",", THIN).replace("-", "−")


def quantity(value: Any, unit: str = "", digits: int = 4) -> str:
    """Return ``value`` with its unit, kept on one line."""
    text = number(value, digits)
    return f"{text}{NO_BREAK}{unit}" if unit and text != "–" else text


def measured(value: float | None, uncertainty: float | None, unit: str = "") -> str:
    """Return ``42.1 ± 0.8 %``: the value rounded to the decimals of its uncertainty (two digits of it)."""
    if value is None or not uncertainty or not math.isfinite(uncertainty):
        return quantity(value, unit)
    decimals = min(9, max(0, 1 - math.floor(math.log10(uncertainty))))
    shown = f"{_grouped(f'{value:,.{decimals}f}')}{NO_BREAK}±{NO_BREAK}{_bare(f'{uncertainty:.{decimals}f}')}"
    return f"{shown}{NO_BREAK}{unit}" if unit else shown


def share(part: float) -> str:
    """Return a share of one as per cent without decimals."""
    return f"{part * 100:.0f}{NO_BREAK}%"


def span(seconds: float) -> str:
    """Return a length of time in the largest units that matter: ``450 ms``, ``1.2 s``, ``4 min``, ``2 h 5 min``, ``3 d``."""
    if seconds < 1:
        return f"{seconds * 1000:.0f}{NO_BREAK}ms"
    if seconds < 60:
        return f"{number(round(seconds, 1))}{NO_BREAK}s"
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes}{NO_BREAK}min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours}{NO_BREAK}h {minutes}{NO_BREAK}min" if minutes else f"{hours}{NO_BREAK}h"
    return f"{hours // 24}{NO_BREAK}d"
