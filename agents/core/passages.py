"""A document cut into passages, and the search over them by words."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from agents.core.digest import ParsedDocument, Passage
from agents.core.quotes import Span
from agents.core.sentences import sentences

PASSAGE_CHARS = 900
_K1, _B = 1.4, 0.7
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[a-zα-ω]+(?:'[a-z]+)?|[\u3400-\u9fff]+|°c|%|℃")
_COMMON = (
    "a an and are as at be been but by can did do does for from had has have how i if in into is it its many me much "
    "no not of on or our should than that the their them then there these they this to was we were what when where "
    "which who why will with would you 的 了 是 在 和 与 或 及 什么 怎么 如何 哪 哪些 多少 为 对 有 吗 呢 请"
)
_STOP = frozenset(_COMMON.split())


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


def words(text: str) -> list[str]:
    """Return the searchable words of ``text``: English stems, numbers, and Chinese characters in pairs."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z])-\s*\n\s*(?=[a-z])", "", text.casefold()))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    found: list[str] = []
    for token in _WORD.findall(plain):
        if "\u3400" <= token[0] <= "\u9fff":
            found += [token[i : i + 2] for i in range(len(token) - 1)] or [token]
        elif token not in _STOP:
            found.append(_stem(token))
    return [word for word in found if word not in _STOP]


def _stem(word: str) -> str:
    """Cut the endings that most often keep a question from its answer: plural, -ing, -ed."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ings", "ing", "ed", "es", "s"):
        if (
            word.endswith(ending)
            and len(word) - len(ending) >= 4 - (ending == "s")
            and not word.endswith("ss")
        ):
            return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word


class PassageIndex:
    """Okapi BM25 over passages; built once, read often."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = list(passages)
        counts = [Counter(words(passage.text)) for passage in self.passages]
        self._lengths = [sum(count.values()) for count in counts]
        self._mean = sum(self._lengths) / len(counts) if counts else 0.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for index, count in enumerate(counts):
            for word, times in count.items():
                self._postings.setdefault(word, []).append((index, times))

    def search(self, query: str, limit: int = 5) -> list[Passage]:
        """Return at most ``limit`` passages that share a word with ``query``, best first, ties in text order."""
        scores: dict[int, float] = {}
        for word in dict.fromkeys(words(query)):
            postings = self._postings.get(word, [])
            weight = math.log(1 + (len(self.passages) - len(postings) + 0.5) / (len(postings) + 0.5))
            for index, times in postings:
                length = 1 - _B + _B * self._lengths[index] / self._mean
                scores[index] = scores.get(index, 0.0) + weight * times * (_K1 + 1) / (times + _K1 * length)
        best = sorted(scores, key=lambda index: (-scores[index], index))
        return [self.passages[index] for index in best[:limit]]
