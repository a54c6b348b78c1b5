"""What a store needs of an embedding model."""

from collections.abc import Sequence
from typing import Protocol

Vector = list[float]


class Embedder(Protocol):
    """Turns texts into vectors of unit length. Blocking: call it from a thread."""

    name: str
    """Names the model: vectors of different names are never compared."""

    unrelated_below: float
    """When the best cosine of a search is lower, nothing answers it; 0 when that was never measured."""

    @property
    def dimension(self) -> int:
        """Length of every vector. May ask the model once."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
