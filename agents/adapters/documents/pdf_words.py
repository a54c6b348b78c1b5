"""Words of a PDF page with their place, from pdfium's characters. Used in the child process only."""

import ctypes
from dataclasses import dataclass
from statistics import median
from typing import Any

import pypdfium2.raw as pdfium_c


@dataclass(frozen=True)
class Word:
    """Text with its box in points; ``y`` grows upwards and ``top`` is above ``bottom``."""

    text: str
    left: float
    right: float
    bottom: float
    top: float

    @property
    def middle(self) -> float:
        """Height of the box's centre."""
        return (self.bottom + self.top) / 2


@dataclass(frozen=True)
class _Char:
    text: str
    left: float
    right: float
    bottom: float
    top: float


def words_of(textpage: Any) -> list[Word]:
    """Return the words of a page in the order of the file; a page set sideways is turned upright."""
    chars = _chars(textpage.raw, textpage.count_chars())
    size = typical_height(chars)
    words: list[Word] = []
    current: list[_Char] = []
    for char in chars:
        if char is None or (current and not _continues(current[-1], char, size)):
            words += _word(current)
            current = []
        if char is not None:
            current.append(char)
    return words + _word(current)


def typical_height(boxes: list[Any]) -> float:
    """Return the median height of the boxes in points, 8 when there are none."""
    heights = [box.top - box.bottom for box in boxes if box is not None and box.top - box.bottom > 0.5]
    return median(heights) if heights else 8.0


def _chars(raw: Any, count: int) -> list[_Char | None]:
    """Return one entry a character; None stands for white space."""
    turn = turn_of(raw, count)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    chars: list[_Char | None] = []
    for index in range(count):
        text = chr(pdfium_c.FPDFText_GetUnicode(raw, index))
        if text.isspace() or text in "\x00\ufffe" or (turn and _quarter(raw, index) != turn):
            chars.append(None)
            continue
        pdfium_c.FPDFText_GetCharBox(raw, index, left, right, bottom, top)
        box = (left.value, right.value, bottom.value, top.value)
        chars.append(_Char(text, *_turned(box, turn)))
    return chars


def turn_of(raw: Any, count: int) -> int:
    """Return by how many quarter turns most of the text is set."""
    quarters = [_quarter(raw, index) for index in range(0, count, max(1, count // 200))]
    return max(set(quarters), key=quarters.count) if quarters else 0


def _quarter(raw: Any, index: int) -> int:
    angle: float = pdfium_c.FPDFText_GetCharAngle(raw, index)
    return round(angle / 1.5707963) % 4


def _turned(box: tuple[float, float, float, float], turn: int) -> tuple[float, float, float, float]:
    left, right, bottom, top = box
    if turn == 3:
        return bottom, top, -right, -left
    if turn == 1:
        return -top, -bottom, left, right
    if turn == 2:
        return -right, -left, -top, -bottom
    return box


def _continues(before: _Char, char: _Char, size: float) -> bool:
    """pdfium marks most spaces itself; what is left are jumps to another line or another cell."""
    near = -2 * size <= char.left - before.right <= 0.8 * size
    return near and abs((char.bottom + char.top) - (before.bottom + before.top)) / 2 <= 0.9 * size


def _word(chars: list[_Char]) -> list[Word]:
    if not chars:
        return []
    return [
        Word(
            text="".join(char.text for char in chars),
            left=min(char.left for char in chars),
            right=max(char.right for char in chars),
            bottom=min(char.bottom for char in chars),
            top=max(char.top for char in chars),
        )
    ]
