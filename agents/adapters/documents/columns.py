"""Reading order of a page whose file stores two columns line by line across the gutter."""

from statistics import median

from agents.adapters.documents.pdf_lines import Line

_ENOUGH = 5
_WORDS = 3


def text_in_order(lines: list[Line], text: str) -> str:
    """Return ``text``, the page in the order of the file, unless it mixes two columns; then the lines reordered."""
    gutter = _gutter(lines, text)
    return text if gutter is None else _column_by_column(lines, gutter)


def text_of(lines: list[Line]) -> str:
    """Return the lines from top to bottom as text."""
    return "\n".join(line.text for line in lines)


def _gutter(lines: list[Line], text: str) -> float | None:
    """Return where the columns part, when most lines of two columns stand joined in the file's order."""
    printed = {"".join(line.split()) for line in text.split("\n")}
    joined, middles = 0, []
    for line in lines:
        if len(line.pieces) != 2 or any(len(piece.words) < _WORDS for piece in line.pieces):
            continue
        left, right = line.pieces
        middles.append((left.right + right.left) / 2)
        joined += "".join(line.text.split()) in printed
    if joined < _ENOUGH or joined < 0.6 * len(middles):
        return None
    return median(middles)


def _column_by_column(lines: list[Line], gutter: float) -> str:
    out: list[str] = []
    left: list[str] = []
    right: list[str] = []
    for line in lines:
        if any(piece.left < gutter < piece.right for piece in line.pieces):
            out += [*left, *right, line.text]
            left, right = [], []
            continue
        for side, column in ((True, left), (False, right)):
            words = [piece.text for piece in line.pieces if (piece.right <= gutter) is side]
            if words:
                column.append(" ".join(words))
    return "\n".join([*out, *left, *right])
