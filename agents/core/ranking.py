"""Which of many short texts fit a question best: by words here, by meaning where an adapter is at hand."""

from collections.abc import Callable, Sequence

from agents.core.words import words

Rank = Callable[[str, Sequence[str]], list[int]]
"""Called with a question and texts; returns the places of all texts, the best first. The same for the same input."""


def rank_by_words(question: str, texts: Sequence[str]) -> list[int]:
    """Return the places of ``texts`` by how many of the question's words they hold; ties stay in order."""
    wanted = set(words(question))
    scores = [len(wanted & set(words(text.replace("_", " ")))) for text in texts]
    return sorted(range(len(texts)), key=lambda place: -scores[place])
