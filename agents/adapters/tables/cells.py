"""One cell of a table: missing, a number, or text."""

import math
import re

Cell = float | int | str | None

MISSING = frozenset(
    {"", "-", "–", "—", "na", "n/a", "n.a.", "null", "none", "missing", "n.d.", "nd", "?", "缺失", "无"}
)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity|#num!|#div/0!|#value!|#n/a|#ref!)", re.IGNORECASE)
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
_WITH_UNIT = re.compile(
    r"(?P<number>[+-]?[\d.,]+(?:[eE][+-]?\d+)?)\s*(?P<unit>[%‰°℃µμΩA-Za-z][^\d\s,;]{0,11})"
)


def is_missing(text: str) -> bool:
    """Return True for an empty cell and for the usual marks of a missing value."""
    return text.strip().lower() in MISSING


def is_not_finite(text: str) -> bool:
    """Return True for NaN, infinity and the error values of spreadsheets."""
    return bool(_NOT_FINITE.fullmatch(text.strip()))


def is_formula(text: str) -> bool:
    """Return True when a spreadsheet would run the cell instead of showing it."""
    text = text.strip()
    return (text[:1] in "=@" and len(text) > 1) or (
        text[:1] in "+-" and bool(re.match(r"[+-][A-Za-z]+\d*[(!+*/-]", text))
    )


def parse_number(text: str, *, decimal: str = ".") -> float | int | None:
    """Return the number that ``text`` spells, whole ones as int, or None. ``decimal`` is ``.`` or ``,``."""
    text = text.strip().replace("−", "-").replace("\u00a0", "").replace("\u202f", "")
    if decimal == "," and _COMMA.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if not _PLAIN.fullmatch(text):
        return None
    if re.fullmatch(r"[+-]?\d{1,15}", text):
        return int(text)
    value = float(text)
    return value if math.isfinite(value) else None


def split_unit(text: str, *, decimal: str = ".") -> tuple[float | int, str] | None:
    """Return number and unit of a cell like ``60 °C`` or ``85%``, or None."""
    match = _WITH_UNIT.fullmatch(text.strip())
    number = parse_number(match["number"], decimal=decimal) if match else None
    return None if match is None or number is None else (number, match["unit"])


def uses_decimal_comma(texts: list[str]) -> bool:
    """Return True when the cells write 1,5 and never 1.5."""
    commas = sum(bool(_COMMA.fullmatch(text.strip())) for text in texts)
    points = sum(bool(re.fullmatch(r"[+-]?\d+\.\d+", text.strip())) for text in texts)
    return commas > 0 and commas > points
