"""What every reader hands back."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agents.core.digest import Page, PrintedTable

Progress = Callable[[int, int], None]
"""Called with the page that is done and the number of pages."""


@dataclass
class Parts:
    """Pages, tables and warnings of a document, before it is cleaned and named."""

    media_type: str
    pages: list[Page] = field(default_factory=list)
    tables: list[PrintedTable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, text: str) -> int:
        """Append a page of ``text`` and return its number."""
        number = len(self.pages) + 1
        self.pages.append(Page(number=number, text=text))
        return number
