"""Comments as marks in the text that they are about."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reviews.models import Comment


@dataclass(frozen=True)
class Stretch:
    """Characters of a text, and the numbers of the comments that are about them."""

    text: str
    numbers: tuple[int, ...] = ()

    @property
    def told(self) -> str:
        """The numbers as they stand beside the mark."""
        return ", ".join(str(number) for number in self.numbers)


def stretches(text: str, part: str, comments: Sequence[Comment]) -> list[Stretch]:
    """Return ``text`` cut where comments on ``part`` begin and end; joined, the stretches are the text.

    Comments are numbered from 1 in the order given. One that does not fit the text any more marks nothing.
    """
    spans = [
        (row.start, row.end, number)
        for number, row in enumerate(comments, start=1)
        if row.part == part and text[row.start : row.end] == row.quote and row.start < row.end
    ]
    cuts = sorted({0, len(text), *(place for start, end, _number in spans for place in (start, end))})
    return [
        Stretch(text[a:b], tuple(number for start, end, number in spans if start <= a and b <= end))
        for a, b in pairwise(cuts)
    ]
