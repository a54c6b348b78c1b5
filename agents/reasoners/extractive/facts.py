"""Numbers with units in running text: each is kept with the words that print it, one item a sentence."""

import re
from collections.abc import Iterator
from typing import Any

from agents.core.digest import DigestItem
from agents.core.quantities import Quantity, find_quantities
from agents.core.quotes import Span, find_quote
from agents.reasoners.extractive.reading import Reading, Sentence, tidy
from agents.reasoners.extractive.vocabulary import kinds_between

MAX_QUOTE = 420
_PIECE = 260
_NAME_BACK = 60


def covered_spans(items: list[DigestItem], reading: Reading) -> dict[int, list[Span]]:
    """Return, by page, where the verified quotes of ``items`` stand."""
    spans: dict[int, list[Span]] = {}
    for source in {(item.source.page, item.source.quote) for item in items if item.source.verified}:
        page, quote = source
        spans.setdefault(page or 0, []).extend(_everywhere(quote, reading.page_text(page or 0)))
    return spans


def _everywhere(quote: str, page: str) -> Iterator[Span]:
    """Yield each place where the page prints the quote: what is said twice is kept once."""
    start = 0
    while (span := find_quote(quote, page[start:])) is not None:
        yield Span(start=span.start + start, end=span.end + start)
        start += span.end


def is_covered(quantity: Quantity, spans: list[Span]) -> bool:
    """Return True when a quote contains the whole quantity."""
    return any(span.start <= quantity.start and quantity.end <= span.end for span in spans)


def facts(reading: Reading, items: list[DigestItem]) -> list[DigestItem]:
    """Return one result item for each sentence (or piece of a long one) with a quantity that no item quotes yet."""
    spans = covered_spans(items, reading)
    found: list[DigestItem] = []
    for sentence in reading.sentences:
        page = reading.page_text(sentence.page)
        missing = [
            quantity
            for quantity in _in_sentence(page, sentence)
            if not is_covered(quantity, spans.get(sentence.page, []))
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
