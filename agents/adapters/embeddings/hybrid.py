"""Words beside meaning in one vector, so that one search finds both a paraphrase and an exact name."""

import math
import zlib
from collections.abc import Sequence
from functools import cached_property

from agents.adapters.embeddings.base import Embedder, Vector
from agents.core.passages import words

WORD_DIMENSION = 512
WORD_SHARE = 0.4
"""How much of the similarity the words make up. Measured in ``benchmarks/retrieval.py``: best of 0 to 0.5."""


class HybridEmbedder:
    """The cosine of two vectors is 0.6 times that of ``meaning`` plus 0.4 times that of their words.

    Words are English stems, numbers and pairs of Chinese characters, hashed into 512 dimensions.
    """

    def __init__(self, meaning: Embedder) -> None:
        self._meaning = meaning
        self.name = f"{meaning.name}+words"

    @cached_property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._meaning.dimension + WORD_DIMENSION

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
        meant = self._meaning.embed(texts)
        a, b = math.sqrt(1 - WORD_SHARE), math.sqrt(WORD_SHARE)
        return [
            [a * x for x in vector] + [b * x for x in word_vector(text)]
            for vector, text in zip(meant, texts, strict=True)
        ]


def word_vector(text: str) -> Vector:
    """Return the different words of ``text`` as a hashed vector of unit length, or zeros when it has none."""
    vector = [0.0] * WORD_DIMENSION
    for word in set(words(text)):
        code = zlib.crc32(word.encode())
        # The sign keeps words that share a place from adding up to a likeness.
        vector[code % WORD_DIMENSION] += 1.0 if code & 0x80000000 else -1.0
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else vector
