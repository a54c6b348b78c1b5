"""Printed numbers recomputed: wrong kinds of units, means and ranges that their own table does not give."""

import re
from dataclasses import dataclass

from agents.core.digest import DigestItem
from agents.core.quantities import Quantity, find_quantities
from agents.core.quotes import find_quote
from agents.reasoners.extractive.reading import Reading, Sentence
from agents.reasoners.extractive.series import Series
from agents.reasoners.extractive.units import is_dimensionless, pint_unit, unit_of
from agents.reasoners.extractive.vocabulary import Kind, kinds_between, kinds_in

_LINK = re.compile(
    r"(?:[\s:：=]|(?:was|were|is|are|be|been|found|determined|calculated|measured|estimated|to be|as|of|about|approximately|around|equal to|"
    r"equals?)\b|为|是|等于|大?约|可得|得到|的值)*+",
    re.IGNORECASE,
)
_OF_WHAT = re.compile(r"\s(?:of|for|in) (?:the |a |an )?(?:[\w-]+ ){1,4}?(?=(?:was|is|were|are|=)\s)")
_WORDS = re.compile(r"[A-Za-z]{4,}|[\u3400-\u9fff]|[.;；。]\s")
_MEAN = re.compile(r"\b(?:average|mean|averaged)\b|平均值?|均值", re.IGNORECASE)
_ASSIGNED = re.compile(r"(?P<symbol>[A-Za-zα-ω][A-Za-z]?[\dA-Za-z]{1,2})\s*=\s*$")


@dataclass(frozen=True)
class Flag:
    """What does not fit: ``note`` says it in a sentence; the quantity stands at ``quantity`` on ``page``."""

    page: int
    quantity: Quantity
    note: str


def unit_flags(reading: Reading) -> list[Flag]:
    """Return the quantities whose unit cannot belong to what the text calls them."""
    flags: list[Flag] = []
    for page in reading.document.pages:
        quantities = find_quantities(page.text)
        for quantity in quantities:
            kind = named_kind(page.text, quantity)
            if kind is not None and not _fits(kind, quantity.unit):
                note = f"The unit {quantity.unit} does not measure {kind.name}; expected {_example(kind)}."
                flags.append(Flag(page.number, quantity, note))
        flags += _symbol_flags(page.number, page.text, quantities)
    return flags


def named_kind(text: str, quantity: Quantity) -> Kind | None:
    """Return what ``quantity`` is said to measure, when only linking words or a formula stand between."""
    kinds = kinds_between(text, max(0, quantity.start - 120), quantity.start)
    if not kinds:
        return None
    between = text[kinds[-1][1] : quantity.start]
    if find_quantities(between):
        return None
    between = _OF_WHAT.sub("", between, count=1)
    link = _LINK.match(between)
    rest = between[link.end() :] if link else between
    if kinds[-1][2].name == "pH" and not re.search(r"[^\W\d_]", quantity.text):
        return None  # "pH 3.2, 12 mM" reads as a list of one unit; a pH has none
    is_formula = not _WORDS.search(rest) and (rest.strip() == "" or rest.rstrip().endswith("="))
    is_linked = bool(link and link.end() and is_formula) or (
        rest.strip() in ("", "(", "（") and len(between) < 4
    )
    return kinds[-1][2] if is_linked else None


def _fits(kind: Kind, unit: str) -> bool:
    printed = unit_of(unit)
    if printed is None or is_dimensionless(unit) or printed.dimensionless or not kind.units:
        return True
    return any(printed.dimensionality == pint_unit(known).dimensionality for known in kind.units)


def _example(kind: Kind) -> str:
    unit = next((known for known in kind.units if known), "")
    return f"a unit such as {unit.replace('**', '').replace('*', '·')}" if unit else "a number without a unit"


def _symbol_flags(page: int, text: str, quantities: list[Quantity]) -> list[Flag]:
    """A symbol with an index that has units of two kinds on one page is wrong in one place."""
    seen: dict[str, list[Quantity]] = {}
    for quantity in quantities:
        match = _ASSIGNED.search(text[max(0, quantity.start - 12) : quantity.start])
        if match and not is_dimensionless(quantity.unit):
            seen.setdefault(match["symbol"], []).append(quantity)
    flags = []
    for symbol, places in seen.items():
        first = places[0]
        other = next((one for one in places if _differ(first, one)), None)
        if other:
            note = f"{symbol} is given in {first.unit} ({first.text}) and in {other.unit} ({other.text}) on this page."
            flags += [Flag(page, quantity, note) for quantity in places]
    return flags


def _differ(one: Quantity, other: Quantity) -> bool:
    a, b = unit_of(one.unit), unit_of(other.unit)
    return a is not None and b is not None and a.dimensionality != b.dimensionality


def mean_flags(reading: Reading, series: list[Series]) -> tuple[list[Flag], list[Flag]]:
    """Return printed means that their series does not give, and those that it does.

    A series is the one meant when the sentence also prints its least and greatest number, or when its title
    names the same thing and it is the last one printed before the sentence.
    """
    wrong: list[Flag] = []
    right: list[Flag] = []
    for sentence in reading.sentences:
        text = reading.page_text(sentence.page)[sentence.span.start : sentence.span.end]
        if sentence.role == "back" or not _MEAN.search(text):
            continue
        quantities = find_quantities(text)
        for mean, known in _meant(text, quantities, sentence, series, reading):
            moved = mean.model_copy(
                update={"start": mean.start + sentence.span.start, "end": mean.end + sentence.span.start}
            )
            value = sum(known.numbers) / len(known.numbers)
            agrees = abs(value - mean.value) <= half_unit(mean.text) * 1.5 + max(
                map(half_unit, filter(None, known.cells)), default=0.0
            )
            label = f"{known.title.label} in {known.table}"
            if agrees:
                right.append(
                    Flag(
                        sentence.page,
                        moved,
                        f"Recomputed: the mean of {label} is {value:.4g} {known.title.unit}.".replace(
                            " .", "."
                        ),
                    )
                )
            else:
                wrong.append(
                    Flag(
                        sentence.page,
                        moved,
                        f"The mean of {label} is {value:.4g} {known.title.unit}; printed is {mean.text}.",
                    )
                )
    return wrong, right


def _meant(
    text: str, quantities: list[Quantity], sentence: Sentence, series: list[Series], reading: Reading
) -> list[tuple[Quantity, Series]]:
    ranges = [quantity for quantity in quantities if quantity.high is not None]
    cue = _MEAN.search(text)
    singles = [q for q in quantities if q.high is None and cue and 0 <= q.start - cue.end() <= 120]
    if not singles:
        return []
    for known in series:
        numbers = known.numbers
        if len(numbers) >= 3 and any(
            _same(min(numbers), r.value) and _same(max(numbers), r.high or 0.0) for r in ranges
        ):
            return [(singles[0], known)]
    return [] if ranges else _by_title(text, singles[0], sentence, series, reading)


def _by_title(
    text: str, mean: Quantity, sentence: Sentence, series: list[Series], reading: Reading
) -> list[tuple[Quantity, Series]]:
    """The series that names the same thing and stands last before the mean."""
    named = {kind.name for _, _, kind in kinds_in(text[: mean.start])}
    at = (sentence.page, sentence.span.start + mean.start)
    found: list[tuple[tuple[int, int], Series]] = []
    for known in series:
        titles = {kind.name for _, _, kind in kinds_in(known.title.printed)}
        if (
            not titles & named
            or known.title.unit != mean.unit
            or len(known.numbers) < 3
            or known.page > sentence.page
        ):
            continue
        span = find_quote(" ".join(known.cells), reading.page_text(known.page))
        place = (known.page, span.end) if span else (known.page, 0)
        if place < at and known.page >= sentence.page - 1:
            found.append((place, known))
    return [(mean, max(found, key=lambda one: one[0])[1])] if found else []


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1.0)


def half_unit(printed: str) -> float:
    """Return half of the last printed digit's unit: what rounding may have cost."""
    match = re.search(r"\d+(?:[.,](\d+))?", printed)
    return 0.5 * 10.0 ** -(len(match[1]) if match and match[1] else 0)


def with_notes(items: list[DigestItem], flags: list[Flag], reading: Reading) -> list[DigestItem]:
    """Return ``items`` with each flag's sentence in the note of those whose quote contains the flagged number."""
    noted = []
    for item in items:
        text = reading.page_text(item.source.page or 0)
        mine = [flag for flag in flags if flag.page == item.source.page]
        span = find_quote(item.source.quote, text) if mine else None
        notes = [
            f.note for f in mine if span and span.start <= f.quantity.start and f.quantity.end <= span.end
        ]
        note = " ".join(dict.fromkeys([item.note, *notes])).strip() if notes else item.note
        noted.append(item.model_copy(update={"note": note}))
    return noted
