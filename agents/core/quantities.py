"""Numbers with units, found in running text by pattern: English and Chinese."""

import re
from collections.abc import Iterator
from functools import lru_cache

from agents.core.science import Value
from agents.core.unit_text import UNIT, plain_unit

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
_POWER_OF_TEN = r"(?:\s?[×x·⋅]\s?10\s?(?:\^?\s?[−–-]?\s?\d{1,2}(?![\d.])|[⁻⁺]?[⁰¹²³⁴-⁹]+)|[eE][+-]?\d{1,2})"
_NUMBER = rf"(?:(?<![\w%°◦)\]])[+\-−–])?{_DIGITS}{_POWER_OF_TEN}?"
_BEFORE = r"(?<![A-Za-z\d_])(?<![\d.][,.])(?<![A-Za-z]-)(?<![A-Za-z]–)"
_NEXT = (
    r"(?:\s?[,，、;]\s?(?:and\s|or\s)?|\s(?:and|or|to|versus|vs\.)\s|\s?[~∼～–—−-]\s?|\s?(?:和|与|及|或|至|到)\s?"
    r"|\s?(?:±|\+/-)\s?|\s?[×x]\s?)"
)
_QUANTITY = re.compile(
    rf"{_BEFORE}(?P<numbers>{_NUMBER}(?:{_NEXT}{_NUMBER}){{0,9}})(?P<gap>[ \u00a0\u2009\u202f]?[-‐]?\n?\s?)(?P<unit>{UNIT})(?![A-Za-z])"
)
_LABELLED = re.compile(
    r"(?:Fig(?:ure)?s?|Tables?|Eqs?|Refs?|Schemes?|Steps?|Nos?|Sections?|图|表|式|步骤)\.?\s*$"
)
_GLUED_IS_NAME = frozenset("ACFHNSTMJdD")
"""Behind a number without a space these are names more often than units: alloy 6005A, 2CρT, 5th ed. 2d."""
_RANGE = re.compile(r"\s?(?:%|°C|℃)?\s?(?:[~∼～–—−-]|to|至|到)\s?")
_RAISED = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")


class Quantity(Value):
    """A number with its unit at ``text[start:end]``. Numbers listed before one unit each get it.

    ``high`` is set for a range, whose low end is ``value``; ``uncertainty`` for ``value ± uncertainty``.
    """

    text: str
    start: int
    end: int
    value: float
    unit: str
    high: float | None = None
    uncertainty: float | None = None


def find_quantities(text: str) -> list[Quantity]:
    """Return the numbers with units in ``text``, in order; labels such as ``Figure 4 A`` are none."""
    return list(_found(text))


@lru_cache(maxsize=256)
def _found(text: str) -> tuple[Quantity, ...]:
    found: list[Quantity] = []
    for match in _QUANTITY.finditer(text):
        for quantity in _listed(text, match) if _is_quantity(text, match) else ():
            if found and _spans_range(text, found[-1], quantity):
                quantity = _joined(text, found.pop(), quantity)
            found.append(quantity)
    return tuple(found)


def _spans_range(text: str, low: Quantity, high: Quantity) -> bool:
    """``5 %–16 %`` and ``60 °C to 80 °C`` print the unit twice."""
    is_plain = low.unit == high.unit and low.high is None and high.high is None
    return is_plain and _is_range(text[low.end : high.start])


def _joined(text: str, low: Quantity, high: Quantity) -> Quantity:
    printed = " ".join(text[low.start : high.end].split())
    return low.model_copy(update={"text": printed, "end": high.end, "high": high.value})


def parse_value(printed: str) -> float | None:
    """Return the number that ``printed`` spells (``1,058``, ``18,4``, ``4.06 · 10−2``, ``−0.61``), or None."""
    match = re.fullmatch(rf"\s*([+\-−–]?)({_DIGITS})({_POWER_OF_TEN}?)\s*", printed)
    if match is None:
        return None
    digits = match[2]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    value = float(digits.replace(",", "."))
    if match[3]:
        power = match[3].translate(_RAISED).replace("−", "-").replace("–", "-").replace(" ", "")
        exponent = re.search(r"(?:10\^?|[eE])([+-]?\d{1,2})$", power)
        value *= 10.0 ** int(exponent[1]) if exponent else 1.0
    return float(f"{-value if match[1] in ('-', '−', '–') and match[1] else value:.12g}")


def _is_quantity(text: str, match: re.Match[str]) -> bool:
    unit, gap = match["unit"], match["gap"]
    if _LABELLED.search(text[max(0, match.start() - 12) : match.start()]):
        return False
    if unit in _GLUED_IS_NAME:
        return gap in (" ", "\u00a0", "\u2009", "\u202f")
    return not (unit in ("m", "s", "l", "h", "g") and gap == "\n")


def _listed(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    """Yield one quantity a number; a range or a value with uncertainty is one."""
    unit = plain_unit(match["unit"])
    numbers = list(re.finditer(_NUMBER_IN_LIST, match["numbers"]))
    offset = match.start("numbers")
    index = 0
    while index < len(numbers):
        first = numbers[index]
        between = (
            match["numbers"][first.end() : numbers[index + 1].start()] if index + 1 < len(numbers) else ""
        )
        pair = (
            numbers[index + 1]
            if between and (_is_range(between) or "±" in between or "+/-" in between)
            else None
        )
        last = pair or first
        is_last = last is numbers[-1]
        end = match.end() if is_last else offset + last.end()
        value, second = parse_value(first.group()), parse_value(pair.group()) if pair else None
        if value is not None:
            is_range = pair is not None and _is_range(between)
            yield Quantity(
                text=" ".join(text[offset + first.start() : end].split()),
                start=offset + first.start(),
                end=end,
                value=value,
                unit=unit,
                high=second if is_range else None,
                uncertainty=second if pair is not None and not is_range else None,
            )
        index += 2 if pair else 1


_NUMBER_IN_LIST = rf"(?:(?<=^)|(?<=[\s,，、;±×~∼～和与及或至到x-])|(?<=[–—−]))(?:(?<![\d%])[+\-−–])?{_DIGITS}{_POWER_OF_TEN}?"


def _is_range(between: str) -> bool:
    return bool(_RANGE.fullmatch(between))
