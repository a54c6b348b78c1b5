"""Numbers with units in running text: each is kept with the words that print it, one item a sentence."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from agents.core.digest import DigestItem
from agents.core.quantities import Quantity, find_quantities
from agents.core.quotes import Span, find_quotes
from agents.reasoners.extractive.reading import Reading, Sentence, tidy
from agents.reasoners.extractive.vocabulary import kinds_between

MAX_QUOTE = 420
_PIECE = 260
_NAME_BACK = 60


@dataclass(frozen=True)
class Quoted:
    """Where the quotes of a page stand: their starts in order, and how far quotes that start so early reach."""

    starts: list[int]
    reaches: list[int]

    def covers(self, quantity: Quantity) -> bool:
        """Return True when one quote contains the whole quantity."""
        index = bisect_right(self.starts, quantity.start) - 1
        return index >= 0 and self.reaches[index] >= quantity.end


NOTHING = Quoted([], [])


def quoted_places(items: list[DigestItem], reading: Reading) -> dict[int, Quoted]:
    """Return, by page, every place of the verified quotes of ``items``: what is said twice is kept once."""
    spans: dict[int, list[Span]] = {}
    for page, quote in {(item.source.page or 0, item.source.quote) for item in items if item.source.verified}:
        spans.setdefault(page, []).extend(find_quotes(quote, reading.page_text(page)))
    places = {}
    for page, found in spans.items():
        found.sort(key=lambda span: span.start)
        places[page] = Quoted(
            [span.start for span in found], list(accumulate((span.end for span in found), max))
        )
    return places


def facts(reading: Reading, items: list[DigestItem]) -> list[DigestItem]:
    """Return one result item for each sentence (or piece of a long one) with a quantity that no item quotes yet."""
    quoted = quoted_places(items, reading)
    found: list[DigestItem] = []
    for sentence in reading.sentences:
        page = reading.page_text(sentence.page)
        missing = [
            quantity
            for quantity in _in_sentence(page, sentence)
            if not quoted.get(sentence.page, NOTHING).covers(quantity)
        ]
        for piece in _pieces(page, sentence.span, missing):
            found.append(_fact(reading, sentence, piece))
    return found


def _in_sentence(page: str, sentence: Sentence) -> list[Quantity]:
    span = sentence.span
    return [q for q in find_quantities(page) if span.start <= q.start < span.end]


def _pieces(page: str, span: Span, quantities: list[Quantity]) -> list[Span]:
    """Return the parts to quote: the sentence, or pieces of it around the numbers when it is long."""
    if not quantities:
        return []
    end = max(span.end, quantities[-1].end)  # a number may run over into what looks like another sentence
    if end - span.start <= MAX_QUOTE:
        return [Span(start=span.start, end=end)]
    pieces: list[Span] = []
    for quantity in quantities:
        if pieces and quantity.end <= pieces[-1].end:
            continue
        start = _boundary(page, max(span.start, quantity.start - _PIECE // 2), quantity.start)
        end = min(
            span.end,
            max(quantity.end, page.find("\n", quantity.end) if "\n" in page[quantity.end :] else span.end),
        )
        end = end if end - start <= _PIECE else quantity.end
        if pieces and start < pieces[-1].end:
            start = pieces[-1].start if end - pieces[-1].start <= MAX_QUOTE else pieces[-1].end
            pieces = pieces[:-1] if start == pieces[-1].start else pieces
        pieces.append(Span(start=start, end=end))
    return pieces


def _boundary(page: str, earliest: int, latest: int) -> int:
    """Return the first line or sentence start between the two places, else the first word start."""
    for pattern in (r"[\n;；。]\s*", r"\s+"):
        starts = [match.end() for match in re.finditer(pattern, page[earliest:latest])]
        if starts:
            return earliest + starts[0]
    return earliest


def _fact(reading: Reading, sentence: Sentence, piece: Span) -> DigestItem:
    text = tidy(reading.page_text(sentence.page)[piece.start : piece.end], reading.words)
    quantities = find_quantities(text)
    told = [_told(text, quantity) for quantity in quantities]
    first = told[0] if told else {"name": "", "value": None, "unit": ""}
    data: dict[str, Any] = {
        "name": first["name"],
        "value": first["value"],
        "unit": first["unit"],
        "conditions": {},
        "table": "",
        "numbers": told,
    }
    return reading.item("result", text, page=sentence.page, quote=text, data=data)


def _told(text: str, quantity: Quantity) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": name_of(text, quantity),
        "value": quantity.value,
        "unit": quantity.unit,
        "text": quantity.text,
    }
    if quantity.high is not None:
        told["high"] = quantity.high
    if quantity.uncertainty is not None:
        told["uncertainty"] = quantity.uncertainty
    return told


def name_of(text: str, quantity: Quantity) -> str:
    """Return the measurable thing named last before the number, in the same part of the sentence; or nothing."""
    start = max(
        quantity.start - _NAME_BACK, *(text.rfind(mark, 0, quantity.start) + 1 for mark in ".;；。"), 0
    )
    kinds = kinds_between(text, start, quantity.start)
    return text[kinds[-1][0] : kinds[-1][1]] if kinds else ""
