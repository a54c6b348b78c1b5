"""What changed between two texts: by word, and by character inside Chinese."""

import difflib
import re
from dataclasses import dataclass
from typing import Literal

# A Han, kana or hangul character alone; a run of space; a word with its inner points; any other sign.
_HAN = r"\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_HAN}]|\s+|[^\W{_HAN}]+(?:[.,]\d+)*|[^\w\s]")


@dataclass(frozen=True)
class Piece:
    """A stretch of text that stayed, came or went."""

    kind: Literal["same", "added", "removed"]
    text: str


def tokens(text: str) -> list[str]:
    """Split ``text`` so that joining the parts gives it back."""
    return _TOKEN.findall(text)


def difference(old: str, new: str) -> list[Piece]:
    """Return the pieces that turn ``old`` into ``new``; those that stayed and were added spell ``new``."""
    before, after = tokens(old), tokens(new)
    pieces: list[Piece] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(after[c:d])))
            continue
        if b > a:
            pieces.append(Piece("removed", "".join(before[a:b])))
        if d > c:
            pieces.append(Piece("added", "".join(after[c:d])))
    return pieces
