"""A small embedder, findings, and a wait."""

import time
from collections.abc import Callable, Sequence

from agents.adapters.embeddings.hybrid import word_vector
from agents.core.findings import Finding


class Words:
    """Embeds by words alone: quick, and a test can tell what must be near."""

    name = "words"
    dimension = 1025
    unrelated_below = 0.0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        # The first place keeps a text without words from being a vector of zeros.
        return [[0.1, *word_vector(text)] for text in texts]


def finding(number: int, text: str = "", *, study: str = "a", status: str = "active") -> Finding:
    return Finding(id=f"f{number}", study_id=study, text=text or f"finding number {number}", status=status)


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.02)
    return holds()
