"""A document cut into passages, and the search over them by words."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from agents.core.digest import ParsedDocument, Passage
from agents.core.quotes import Span
from agents.core.sentences import sentences
from agents.core.terms import search_words

PASSAGE_CHARS = 900
_K1, _B = 1.4, 0.7


def split_passages(document: ParsedDocument, *, document_id: str, size: int = PASSAGE_CHARS) -> list[Passage]:
    """Return the whole text of ``document`` as passages of whole sentences, about ``size`` characters each.

    A passage never crosses a page; its offsets point into the page's text.
    """
    passages: list[Passage] = []
    for page in document.pages:
        for span in _packed(page.text, size):
            passages.append(
                Passage(
                    document_id=document_id,
                    document=document.name,
                    index=len(passages),
                    page=page.number,
                    start=span.start,
                    end=span.end,
                    text=page.text[span.start : span.end],
                )
            )
    return passages


def _packed(text: str, size: int) -> list[Span]:
    packed: list[Span] = []
    for span in (piece for sentence in sentences(text) for piece in _cut(text, sentence, size)):
        if packed and span.end - packed[-1].start <= size:
            packed[-1] = Span(start=packed[-1].start, end=span.end)
        else:
            packed.append(span)
    return packed


def _cut(text: str, span: Span, size: int) -> Iterable[Span]:
    """Cut what is longer than ``size`` at a line end, else at a space, never inside a word or number."""
    start = span.start
    while span.end - start > size:
        limit = start + size
        cut = max(text.rfind("\n", start + size // 2, limit), text.rfind(" ", start + size // 2, limit))
        cut = cut if cut > start else limit
        yield Span(start=start, end=cut)
        start = cut
        while start < span.end and text[start].isspace():
            start += 1
    if start < span.end:
        yield Span(start=start, end=span.end)


class PassageIndex:
    """Okapi BM25 over passages, in English and Chinese alike; built once, read often."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = list(passages)
        counts = [Counter(search_words(passage.text)) for passage in self.passages]
        self._lengths = [sum(count.values()) for count in counts]
        self._mean = sum(self._lengths) / len(counts) if counts else 0.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for index, count in enumerate(counts):
            for word, times in count.items():
                self._postings.setdefault(word, []).append((index, times))

    def search(self, query: str, limit: int = 5) -> list[Passage]:
        """Return at most ``limit`` passages that share a word with ``query``, best first, ties in text order."""
        scores: dict[int, float] = {}
        for word in dict.fromkeys(search_words(query)):
            postings = self._postings.get(word, [])
            weight = math.log(1 + (len(self.passages) - len(postings) + 0.5) / (len(postings) + 0.5))
            for index, times in postings:
                length = 1 - _B + _B * self._lengths[index] / self._mean
                scores[index] = scores.get(index, 0.0) + weight * times * (_K1 + 1) / (times + _K1 * length)
        best = sorted(scores, key=lambda index: (-scores[index], index))
        return [self.passages[index] for index in best[:limit]]
