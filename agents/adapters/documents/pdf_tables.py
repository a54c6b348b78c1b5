"""Tables of a PDF page, from the alignment of its words: no ruling lines needed."""

import re
from dataclasses import dataclass
from itertools import pairwise

from agents.adapters.documents.pdf_lines import Line, Piece
from agents.core.digest import PrintedTable

_CAPTION = re.compile(
    r"(?:TABLE|Table|表)(?:S?\d{1,3}|[IVX]{1,5}(?![a-z]))(?=[.:：A-Z(（]|[\u4e00-\u9fff]|$)"
)
_NUMERIC = re.compile(
    r"[<>≤≥~±+\-−–—]?\s*\(?[+\-−–]?\d[^A-Za-z\u4e00-\u9fff]*(?:\s?[%°A-Za-zμΩ℃◦][\w/%.·°]{0,6})?|[–—-]"
)
_PROSE_WORDS = 7
_MIN_SHARE = 0.4


@dataclass(frozen=True)
class _Row:
    pieces: list[Piece]
    middle: float


def tables_of(lines: list[Line], *, page: int, width: float) -> list[PrintedTable]:
    """Return the tables on a page of ``width`` points, from top to bottom, with their captions' labels.

    A table is three or more aligned rows (two under a caption), mostly numbers beside the first column.
    Header lines are merged into the first row. What is set as prose is left out.
    """
    captions = _captions(lines)
    tables = []
    for block in _blocks(lines, width):
        grid = _grid(block)
        if grid is None:
            continue
        rows, top, bottom = grid
        caption = _nearest(captions, top, bottom)
        if _is_table(rows, has_caption=bool(caption)):
            tables.append(PrintedTable(page=page, caption=caption, rows=rows))
    return tables


def _captions(lines: list[Line]) -> list[tuple[float, str]]:
    """Return height and label (``Table 4``, ``表 1``) of each caption."""
    return [(line.middle, label) for line in lines for piece in line.pieces if (label := _label(piece))]


def _label(piece: Piece) -> str:
    """Return the label of a caption that starts with this piece, however widely it is spaced, or an empty string."""
    match = _CAPTION.match(re.sub(r"\s", "", piece.text))
    return re.sub(r"^(TABLE|Table|表)", r"\1 ", match.group()) if match else ""


def _nearest(captions: list[tuple[float, str]], top: float, bottom: float) -> str:
    """Return the label of the caption beside the block, else within 60 points, above before below."""

    def distance(height: float) -> float:
        if height >= top:
            return height - top
        return 1.5 * (bottom - height) if height <= bottom else 0.0

    near = [(distance(height), label) for height, label in captions if distance(height) <= 60]
    return min(near)[1] if near else ""


def _blocks(lines: list[Line], width: float) -> list[list[_Row]]:
    """Return runs of lines that have at least two pieces besides prose, close to each other."""
    blocks: list[list[_Row]] = [[]]
    for line in lines:
        if any(map(_label, line.pieces)):
            blocks.append([])
            continue
        pieces = [piece for piece in line.pieces if not _is_prose(piece, width)]
        if not pieces or (len(pieces) == 1 and not blocks[-1]):
            continue
        if blocks[-1] and blocks[-1][-1].middle - line.middle > 3.6 * line.size:
            blocks.append([])
        blocks[-1].append(_Row(pieces, line.middle))
    return [block for block in map(_trimmed, blocks) if len(block) >= 2]


def _trimmed(block: list[_Row]) -> list[_Row]:
    """Drop lines of a single piece at both ends; inside they may be a wrapped cell or part of the header."""
    while block and len(block[-1].pieces) < 2:
        block = block[:-1]
    while block and len(block[0].pieces) < 2:
        block = block[1:]
    return block


def _is_prose(piece: Piece, width: float) -> bool:
    words = len(piece.words)
    return words >= _PROSE_WORDS or (words >= 4 and piece.right - piece.left > 0.38 * width)


def _grid(block: list[_Row]) -> tuple[list[list[str]], float, float] | None:
    """Return rows of cells and the block's top and bottom, or None when nothing lines up."""
    columns = _columns(block)
    if len(columns) < 2:
        return None
    placed = [(row, cells) for row in block if (cells := _placed(row, columns)) is not None]
    numeric = [index for index, (_, cells) in enumerate(placed) if cells[0] and _is_numeric_row(cells)]
    if len(numeric) < 2:
        return None
    start = numeric[0]
    header = _header([(row, cells) for row, cells in placed[:start]], columns)
    body = _joined([cells for _, cells in placed[start : numeric[-1] + 1]])
    rows = [header, *body] if any(header) else body
    return rows, placed[0][0].middle, placed[numeric[-1]][0].middle


def _columns(block: list[_Row]) -> list[tuple[float, float]]:
    """Return the edges of the columns: where the rows of the commonest width have their pieces."""
    counts = [len(row.pieces) for row in block if len(row.pieces) > 1]
    if not counts:
        return []
    width = max(set(counts), key=lambda count: (counts.count(count) * count, count))
    boxes = sorted(
        (piece.left, piece.right) for row in block if len(row.pieces) == width for piece in row.pieces
    )
    merged: list[tuple[float, float]] = []
    for left, right in boxes:
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return merged if len(merged) >= width - 1 else []


def _placed(row: _Row, columns: list[tuple[float, float]]) -> list[str] | None:
    """Return the row's text by column; None when most of its pieces are in no column."""
    cells = [""] * len(columns)
    outside = 0
    for piece in row.pieces:
        overlaps = [min(piece.right, right) - max(piece.left, left) for left, right in columns]
        best = max(range(len(columns)), key=lambda index: overlaps[index])
        if overlaps[best] <= 0:
            best = _closest(piece, columns)
            outside += best < 0
        if best >= 0:
            cells[best] = f"{cells[best]} {piece.text}".strip()
    return None if outside > len(row.pieces) / 2 or not any(cells) else cells


def _closest(piece: Piece, columns: list[tuple[float, float]]) -> int:
    """Return the column nearest to a piece that lies between columns, -1 when it lies off the table."""
    if piece.right < columns[0][0] - 4 or piece.left > columns[-1][1] + 12:
        return -1
    middle = (piece.left + piece.right) / 2
    return min(range(len(columns)), key=lambda index: abs(sum(columns[index]) / 2 - middle))


def is_numeric_cell(text: str) -> bool:
    """Return True for a number, a range, a bound, a number with a short unit, or a dash."""
    return bool(_NUMERIC.fullmatch(text.strip()))


def _is_numeric_row(cells: list[str]) -> bool:
    filled = [cell for cell in cells[1:] if cell]
    return bool(filled) and sum(map(is_numeric_cell, filled)) >= _MIN_SHARE * len(filled)


def _header(rows: list[tuple[_Row, list[str]]], columns: list[tuple[float, float]]) -> list[str]:
    """Merge header lines by column; a title over several columns is repeated in each of them."""
    merged = [""] * len(columns)
    for index, (row, cells) in enumerate(rows):
        spread = (
            _spread(row, columns) if index < len(rows) - 1 and len(row.pieces) < len(columns) - 1 else cells
        )
        merged = [f"{above} {cell}".strip() for above, cell in zip(merged, spread, strict=True)]
    return merged


def _spread(row: _Row, columns: list[tuple[float, float]]) -> list[str]:
    """Give each column the title above it: left-aligned titles reach to the next one, centred ones to their nearest.

    A title over the first column belongs to that one alone.
    """
    cells = [""] * len(columns)
    titles = list(row.pieces)
    if titles[0].left <= columns[0][1]:
        cells[0] = titles.pop(0).text
    centres = [(piece.left + piece.right) / 2 for piece in titles]
    starts_left = all(min(abs(piece.left - left) for left, _ in columns) <= 3 for piece in titles)
    for index, (left, right) in enumerate(columns[1:], start=1):
        before = [piece for piece in titles if piece.left <= left + 3]
        if starts_left:
            cells[index] = before[-1].text if before else ""
        elif titles:
            middle = (left + right) / 2
            nearest = min(range(len(centres)), key=lambda place, at=middle: abs(centres[place] - at))  # type: ignore[misc]
            reach = max([abs(a - b) for a, b in pairwise(centres)] or [2 * (right - left)]) / 2
            cells[index] = titles[nearest].text if abs(centres[nearest] - middle) <= reach + 4 else ""
    return cells


def _joined(rows: list[list[str]]) -> list[list[str]]:
    """Add a wrapped line, which has nothing in the first column and no numbers, to the row above it."""
    joined: list[list[str]] = []
    for cells in rows:
        if joined and not cells[0] and not any(map(is_numeric_cell, filter(None, cells))):
            joined[-1] = [f"{above} {cell}".strip() for above, cell in zip(joined[-1], cells, strict=True)]
        else:
            joined.append(cells)
    return joined


def _is_table(rows: list[list[str]], *, has_caption: bool) -> bool:
    body = [row for row in rows if row[0] and _is_numeric_row(row)]
    if len(body) < (2 if has_caption else 3):
        return False
    filled = sum(bool(cell) for row in body for cell in row)
    return filled >= 0.6 * len(body) * len(body[0])
