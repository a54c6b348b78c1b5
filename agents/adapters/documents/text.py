"""Plain text to sections, with the tables that are drawn in it by bars, tabs or spaces."""

import re

from agents.adapters.documents.parts import Parts
from agents.adapters.documents.sections import SECTION_CHARS, squared
from agents.core.digest import PrintedTable

_RULE = re.compile(r"[\s|:+=─━-]{3,}")
_CAPTION = re.compile(r"\s*(?:(?:TABLE|Table)\s+[A-Z]?\d+|表\s*\d+)\b.*")


def read_text(text: str) -> Parts:
    """Return the text in pages: at form feeds, else at blank lines after about 6,000 characters."""
    parts = Parts("text/plain")
    pages = text.split("\f") if "\f" in text else _cut(text)
    for page in pages:
        if page.strip():
            number = parts.add(page.strip("\n"))
            parts.tables += drawn_tables(page, page=number)
    return parts


def _cut(text: str) -> list[str]:
    pages = [""]
    for block in re.split(r"(?<=\n)(?=[^\S\n]*\n)", text):
        if pages[-1] and len(pages[-1]) + len(block) > SECTION_CHARS:
            pages.append("")
        pages[-1] += block
    return [piece for page in pages for piece in _lines(page)]


def _lines(page: str) -> list[str]:
    """Cut a page without blank lines at line ends, and one without line ends where it must be."""
    pieces = [""]
    for line in page.splitlines(keepends=True):
        for start in range(0, len(line), SECTION_CHARS):
            part = line[start : start + SECTION_CHARS]
            if pieces[-1] and len(pieces[-1]) + len(part) > SECTION_CHARS:
                pieces.append("")
            pieces[-1] += part
    return pieces


def drawn_tables(text: str, *, page: int) -> list[PrintedTable]:
    """Return runs of at least three lines that split alike into cells."""
    tables: list[PrintedTable] = []
    run: list[list[str]] = []
    caption = before = ""
    for line in [*text.split("\n"), ""]:
        cells = _cells(line)
        if cells and (not run or abs(len(cells) - len(run[0])) <= 1):
            caption = caption if run else before
            run.append(cells)
        elif not (run and line.strip() and _RULE.fullmatch(line)):
            _close(run, caption, page, tables)
            run = [cells] if cells else []
            caption = before
        if line.strip():
            before = line.strip() if _CAPTION.fullmatch(line) else ""
    return tables


def _close(run: list[list[str]], caption: str, page: int, tables: list[PrintedTable]) -> None:
    rows = squared(run) if len(run) >= 3 else []
    if rows:
        tables.append(PrintedTable(page=page, caption=caption, rows=rows))


def _cells(line: str) -> list[str]:
    if _RULE.fullmatch(line):
        return []
    if line.count("|") >= 2 or re.search(r"\S\s*\|\s*\S", line):
        parts = line.strip().strip("|").split("|")
    elif "\t" in line.strip():
        parts = line.strip("\n").split("\t")
    else:
        parts = re.split(r"\s{2,}", line.strip())
    cells = [part.strip() for part in parts]
    return cells if len(cells) >= 2 and sum(map(bool, cells)) >= 2 else []
