"""Words beside meaning in one vector, so that one search finds both a paraphrase and an exact name."""

import math
import zlib
from collections.abc import Sequence
from functools import cached_property

from agents.adapters.embeddings.base import Embedder, Vector
from agents.core.terms import search_words

WORD_DIMENSION = 1024
WORD_SHARE = 0.4
"""How much of the similarity the words make up, unless a model needs more help from them."""


class HybridEmbedder:
    """The cosine of two vectors is that of their words by ``word_share``, and that of ``meaning`` by the rest.

    Words are English stems, numbers, pairs of Chinese characters and the English names of laboratory terms in
    either language, hashed into 1,024 dimensions. The name says so: vectors made otherwise are never compared.
    """

    def __init__(self, meaning: Embedder, *, word_share: float = WORD_SHARE) -> None:
        self._meaning = meaning
        self._word_share = word_share
        self.name = f"{meaning.name}+terms"
        self.unrelated_below = meaning.unrelated_below

    @cached_property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._meaning.dimension + WORD_DIMENSION

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
        meant = self._meaning.embed(texts)
        a, b = math.sqrt(1 - self._word_share), math.sqrt(self._word_share)
        return [
            [a * x for x in vector] + [b * x for x in word_vector(text)]
            for vector, text in zip(meant, texts, strict=True)
        ]


def word_vector(text: str) -> Vector:
    """Return the different words of ``text`` as a hashed vector of unit length, or zeros when it has none."""
    vector = [0.0] * WORD_DIMENSION
    for word in set(search_words(text)):
        code = zlib.crc32(word.encode())
        # The sign keeps words that share a place from adding up to a likeness.
        vector[code % WORD_DIMENSION] += 1.0 if code & 0x80000000 else -1.0
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else vector
