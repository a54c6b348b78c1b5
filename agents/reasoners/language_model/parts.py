"""A document in parts that fit the model: every character is in exactly one part."""

from collections.abc import Sequence

from agents.core.digest import Page
from agents.core.science import Value
from agents.reasoners.language_model.cutting import Count

_ENDS = ("\n\n", "\n", "。", ". ", " ")


class Part(Value):
    """Pieces of consecutive pages, each with its page number."""

    pieces: list[Page]

    @property
    def pages(self) -> str:
        """Return ``page 3`` or ``pages 3 to 5``."""
        first, last = self.pieces[0].number, self.pieces[-1].number
        return f"page {first}" if first == last else f"pages {first} to {last}"

    def text(self) -> str:
        """Return the pieces under their page numbers."""
        return "\n".join(f"[page {piece.number}]\n{piece.text}" for piece in self.pieces)


def parts_of(pages: Sequence[Page], room: int, count: Count) -> list[Part]:
    """Return the pages in parts of at most ``room`` tokens; a longer page is divided at its paragraphs."""
    parts: list[list[Page]] = []
    used = room
    for piece in (piece for page in pages for piece in _pieces(page, room, count)):
        size = count(piece.text)
        if used + size > room:
            parts.append([])
            used = 0
        parts[-1].append(piece)
        used += size
    return [Part(pieces=pieces) for pieces in parts]


def halves(part: Part) -> list[Part]:
    """Return ``part`` in two, between pages or within its only page."""
    if len(part.pieces) > 1:
        middle = len(part.pieces) // 2
        return [Part(pieces=part.pieces[:middle]), Part(pieces=part.pieces[middle:])]
    page = part.pieces[0]
    at = _end_near(page.text, len(page.text) // 2)
    texts = (page.text[:at], page.text[at:])
    return [Part(pieces=[Page(number=page.number, text=text)]) for text in texts if text.strip()]


def _pieces(page: Page, room: int, count: Count) -> list[Page]:
    if not page.text.strip():
        return []
    if count(page.text) <= room or len(page.text) < 2:
        return [page]
    at = _end_near(page.text, len(page.text) // 2)
    halved = [Page(number=page.number, text=text) for text in (page.text[:at], page.text[at:])]
    return [piece for half in halved for piece in _pieces(half, room, count)]


def _end_near(text: str, middle: int) -> int:
    """Return a place near ``middle`` where a paragraph, line, sentence or word ends."""
    reach = len(text) // 4
    for end in _ENDS:
        before = text.rfind(end, middle - reach, middle)
        if before >= 0:
            return before + len(end)
    return middle
