"""Printed results recomputed from the document's own formula and values, units included."""

import re
from dataclasses import dataclass
from typing import Any

from agents.core.quantities import Quantity, find_quantities
from agents.reasoners.extractive.checks import Flag, half_unit, named_kind
from agents.reasoners.extractive.expressions import Unreadable, evaluate, readings_of, symbols_in
from agents.reasoners.extractive.reading import Reading
from agents.reasoners.extractive.units import pint_unit, unit_of
from agents.reasoners.extractive.vocabulary import Kind, kinds_between, kinds_in
from agents.tools.units import registry

_SYMBOL = r"[A-Za-zα-ωΑ-Ω]¯?[A-Za-z0-9₀-₉]{0,2}"
_ASSIGNED = re.compile(rf"(?<![A-Za-zα-ω])({_SYMBOL})\s*=\s*$")
_SEVERAL = re.compile(
    rf"((?:{_SYMBOL}\s?(?:[,，、]|and|和)\s*){{1,5}}{_SYMBOL})\s*(?:分别(?:为|是|表示|代表)|(?:are|denote|represent)(?: the)?)\s*(.{{3,80}}?)(?=[，。；,.;)]|$)"
)
_ONE = re.compile(
    rf"(?<![A-Za-zα-ω])({_SYMBOL})\s*(?:为|是|表示|代表|(?:is|denotes|represents)(?: the)?)\s*(.{{2,40}}?)(?=[，。；,.;)]|$)"
)
_SUBJECT = re.compile(r"([\u4e00-\u9fff]{1,6})的$|\b([A-Za-z]{2,20})['’]s\s$")
_SUBJECT_AFTER = re.compile(r"^\s(?:of|for) (?:the )?([A-Za-z]{2,20})")


@dataclass(frozen=True)
class Given:
    """A printed value that may stand for a symbol: by its own sign or by what it is called."""

    place: tuple[int, int]
    quantity: Quantity
    symbol: str = ""
    kind: str = ""
    subject: str = ""


def formula_flags(reading: Reading) -> tuple[list[Flag], list[Flag]]:
    """Return printed results that their formula does not give, and those that it does.

    Only results of the shape ``name = formula = number unit`` are tried, with values printed before them. A way
    to read the formula counts only when its dimension is the result's own or that of what it is called.
    """
    meanings = _meanings(reading)
    given: list[Given] = []
    wrong: list[Flag] = []
    right: list[Flag] = []
    for page in reading.document.pages:
        for quantity in find_quantities(page.text):
            flag, agrees = _checked(page.number, page.text, quantity, given, meanings)
            if flag:
                (right if agrees else wrong).append(flag)
            given.append(_given(page.number, page.text, quantity, given))
    return wrong, right


def _meanings(reading: Reading) -> dict[str, str]:
    """Return what each symbol stands for, by the name of the kind."""
    found: dict[str, str] = {}
    for sentence in reading.sentences:
        for match in _SEVERAL.finditer(sentence.text):
            symbols = re.findall(_SYMBOL, re.sub(r"\band\b", ",", match[1]))
            kinds = [kind.name for _, _, kind in kinds_in(match[2])]
            if len(symbols) == len(kinds):
                found.update(zip(symbols, kinds, strict=True))
        for match in _ONE.finditer(sentence.text):
            kinds = [kind.name for _, _, kind in kinds_in(match[2])]
            if len(kinds) == 1:
                found.setdefault(match[1], kinds[0])
    return found


def _given(page: int, text: str, quantity: Quantity, before: list[Given]) -> Given:
    symbol = _ASSIGNED.search(text[max(0, quantity.start - 14) : quantity.start])
    kind = named_kind(text, quantity)
    subject = _subject(text, quantity, kind) if kind else ""
    if kind and not subject and before and before[-1].place[0] == page:
        between = text[before[-1].quantity.end : quantity.start]
        subject = before[-1].subject if not re.search(r"[;；。]|\.\s", between) else ""
    return Given(
        (page, quantity.start),
        quantity,
        symbol[1].replace("¯", "") if symbol else "",
        kind.name if kind else "",
        subject,
    )


def _subject(text: str, quantity: Quantity, kind: Kind) -> str:
    """Return whose property it is: ``铜`` of ``铜的热导率``, ``copper`` of ``density of copper``."""
    near = kinds_between(text, max(0, quantity.start - 120), quantity.start)
    places = [(start, end) for start, end, known in near if known.name == kind.name]
    if not places:
        return ""
    first, last = places[-1]
    before, after = (
        _SUBJECT.search(text[max(0, first - 24) : first]),
        _SUBJECT_AFTER.match(text[last : quantity.start]),
    )
    return (before[1] or before[2]) if before else after[1] if after else ""


def _checked(
    page: int, text: str, quantity: Quantity, given: list[Given], meanings: dict[str, str]
) -> tuple[Flag | None, bool]:
    formula = _formula_before(text, quantity)
    kind = named_kind(text, quantity) if formula else None
    subject = _subject(text, quantity, kind) if kind else ""
    for way in readings_of(formula):
        values = _values(way, given, meanings, subject)
        if values is None:
            continue
        result = _result(way, values, quantity, kind)
        if result is None:
            continue
        value, slack, unit = result
        agrees = abs(value - quantity.value) <= slack + half_unit(quantity.text)
        shown = f"Recomputed from {way.replace('^2 ', '²').replace('^3 ', '³')}: {value:.4g} {unit}"
        if unit != quantity.unit:
            return Flag(page, quantity, f"{shown}; printed is {quantity.text}."), False
        return Flag(
            page, quantity, f"{shown}." if agrees else f"{shown}; printed is {quantity.text}."
        ), agrees
    return None, True


def _formula_before(text: str, quantity: Quantity) -> str:
    """Return what stands between the last two equals signs before the number."""
    before = text[max(0, quantity.start - 120) : quantity.start].rstrip()
    if not before.endswith("="):
        return ""
    start = before.rfind("=", 0, -1)
    return before[start + 1 : -1] if start >= 0 else ""


def _values(
    formula: str, given: list[Given], meanings: dict[str, str], subject: str
) -> dict[str, Quantity] | None:
    """Return the printed value of each symbol, the last one before; None when one has none."""
    known = {one.symbol: one for one in given if one.symbol} | dict.fromkeys(meanings, None)
    try:
        symbols = symbols_in(formula, known)
    except Unreadable:
        return None
    values: dict[str, Quantity] = {}
    for symbol in symbols:
        found = [one for one in given if one.symbol == symbol] or _by_meaning(
            symbol, given, meanings, subject
        )
        if not found:
            return None
        values[symbol] = found[-1].quantity
    return values or None


def _by_meaning(symbol: str, given: list[Given], meanings: dict[str, str], subject: str) -> list[Given]:
    named = [one for one in given if one.kind and one.kind == meanings.get(symbol)]
    same = [
        one
        for one in named
        if subject and one.subject and (subject.endswith(one.subject) or one.subject.endswith(subject))
    ]
    return same or (named if len({one.subject for one in named}) == 1 else [])


def _result(
    formula: str, values: dict[str, Quantity], printed: Quantity, kind: Kind | None
) -> tuple[float, float, str] | None:
    """Return value, what rounding of the inputs may have cost, and unit; None when the dimension is neither
    the printed one nor that of the kind."""
    central = _evaluated(formula, values, {})
    if central is None:
        return None
    unit: Any = unit_of(printed.unit)
    shown = printed.unit
    if unit is None or central.dimensionality != unit.dimensionality:
        fitting = [
            known
            for known in (kind.units if kind else ())
            if pint_unit(known).dimensionality == central.dimensionality
        ]
        if not fitting:
            return None
        unit, shown = pint_unit(fitting[0]), fitting[0].replace("**", "").replace("*", "·")
    value = float(central.to(unit).magnitude)
    moved = [_evaluated(formula, values, {name: half_unit(one.text)}) for name, one in values.items()]
    slack = sum(abs(float(other.to(unit).magnitude) - value) for other in moved if other is not None)
    return value, slack, shown


def _evaluated(formula: str, values: dict[str, Quantity], shifts: dict[str, float]) -> Any:
    from pint.errors import PintError

    quantity = registry().Quantity
    units = {name: unit_of(one.unit) for name, one in values.items()}
    if any(unit is None for unit in units.values()):
        return None
    made = {name: quantity(one.value + shifts.get(name, 0.0), units[name]) for name, one in values.items()}
    try:
        return evaluate(formula, made, number=lambda value: quantity(value, "dimensionless"))
    except (Unreadable, ArithmeticError, PintError):
        return None
