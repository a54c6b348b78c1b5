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


REWRITTEN = 0.5
"""Below this likeness a text counts as rewritten: word by word would be a salad."""


def difference(old: str, new: str) -> list[Piece]:
    """Return the pieces that turn ``old`` into ``new``; those that stayed and were added spell ``new``."""
    before, after = tokens(old), tokens(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if old and new and matcher.ratio() < REWRITTEN:
        return [Piece("removed", old), Piece("added", new)]
    pieces: list[Piece] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(after[c:d])))
            continue
        if b > a:
            pieces.append(Piece("removed", "".join(before[a:b])))
        if d > c:
            pieces.append(Piece("added", "".join(after[c:d])))
    return pieces
