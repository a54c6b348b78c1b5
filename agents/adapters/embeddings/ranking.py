"""Ranks short texts, such as the descriptions of tools, by meaning."""

from collections.abc import Sequence

from agents.adapters.embeddings.base import Embedder, Vector


class MeaningRank:
    """A ``Rank`` over ``embedder``. Each text is embedded once and kept: there are as many as there are tools."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    def __call__(self, question: str, texts: Sequence[str]) -> list[int]:
        """Return the places of ``texts``, the nearest to ``question`` first; ties stay in order."""
        asked = self._embedder.embed([question])[0]
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= dict(zip(fresh, self._embedder.embed(fresh), strict=True))
        # Rounded, so that the order does not hang on the last digits of a sum.
        scores = [round(_dot(asked, self._known[text]), 6) for text in texts]
        return sorted(range(len(texts)), key=lambda place: -scores[place])


def _dot(left: Vector, right: Vector) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
