"""Formats without pages: headings, paragraphs and tables gathered into sections that stand for pages."""

import re
from dataclasses import dataclass, field

from agents.adapters.documents.parts import Parts
from agents.core.digest import PrintedTable

SECTION_CHARS = 6000
_CAPTION = re.compile(r"(?:TABLE|Table|表)\s*[A-Z]?(?:\d|[IVX])")
MAX_TABLE_CELLS = 50_000


@dataclass
class Sections:
    """Collects blocks in order; a new page starts at each chapter heading and when one grows too long."""

    parts: Parts
    _blocks: list[str] = field(default_factory=list)
    _last: str = ""
    _size: int = 0

    def heading(self, text: str, *, is_chapter: bool) -> None:
        """Add a heading; a chapter starts a new page unless only headings came before."""
        if is_chapter and self._size > 200:
            self.close()
        self._add(text)

    def paragraph(self, text: str) -> None:
        """Add a paragraph; white space inside lines is joined, line ends stay."""
        self._add("\n".join(line for line in (" ".join(part.split()) for part in text.split("\n")) if line))

    def table(self, rows: list[list[str]], *, caption: str = "") -> None:
        """Add a table: as a grid, and as text with one line a row and a tab between cells.

        Without ``caption``, a paragraph just before it that begins like one (``Table 2``) is its caption.
        """
        caption = caption or (self._last if _CAPTION.match(self._last) else "")
        rows = squared([[" ".join(cell.split()) for cell in row] for row in rows])
        if not rows:
            return
        self._add("\n".join("\t".join(row) for row in rows))
        self.parts.tables.append(PrintedTable(page=len(self.parts.pages) + 1, caption=caption, rows=rows))

    def close(self) -> Parts:
        """End the current page and return what was gathered."""
        if self._blocks:
            self.parts.add("\n\n".join(self._blocks))
        self._blocks, self._size = [], 0
        return self.parts

    def _add(self, text: str) -> None:
        if not text.strip():
            return
        if self._size and self._size + len(text) > SECTION_CHARS:
            self.close()
        self._blocks.append(text)
        self._last = " ".join(text.split())
        self._size += len(text)


def squared(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows with one cell a column, empty ones dropped; nothing when they are one column or too many."""
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    width = max((len(row) for row in rows), default=0)
    if width < 2 or width * len(rows) > MAX_TABLE_CELLS:
        return []
    return [row + [""] * (width - len(row)) for row in rows]
