"""Words to lines and pieces of lines by their place on the page."""

from dataclasses import dataclass

from agents.adapters.documents.pdf_words import Word, typical_height


@dataclass(frozen=True)
class Piece:
    """Words of one line without a wide gap between them."""

    words: list[Word]

    @property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(word.text for word in self.words)

    @property
    def left(self) -> float:
        """Left edge in points."""
        return self.words[0].left

    @property
    def right(self) -> float:
        """Right edge in points."""
        return max(word.right for word in self.words)


@dataclass(frozen=True)
class Line:
    """Pieces at one height, from left to right."""

    pieces: list[Piece]
    middle: float
    size: float

    @property
    def text(self) -> str:
        """All pieces joined by spaces."""
        return " ".join(piece.text for piece in self.pieces)


def lines_of(words: list[Word]) -> list[Line]:
    """Return the lines of a page from top to bottom."""
    size = typical_height(words)
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda known: -known.middle):
        if rows and _height(rows[-1]) - word.middle <= 0.55 * size:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_line(row, size) for row in rows]


def _height(row: list[Word]) -> float:
    """Return the height of the line: of its tall words, so that indices do not pull it down."""
    tallest = max(row, key=lambda word: word.top - word.bottom)
    return tallest.middle


def _line(row: list[Word], size: float) -> Line:
    pieces: list[list[Word]] = []
    for word in sorted(row, key=lambda known: known.left):
        if pieces and word.left - max(known.right for known in pieces[-1]) <= 1.05 * size:
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return Line([Piece(words) for words in pieces], _height(row), size)
