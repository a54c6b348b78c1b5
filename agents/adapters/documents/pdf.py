"""PDF to pages and tables with pdfium. pdfium is not thread-safe: used in the child process only."""

import re
from itertools import takewhile
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium_c

from agents.adapters.documents.columns import text_in_order, text_of
from agents.adapters.documents.limits import ReadLimits
from agents.adapters.documents.parts import Parts, Progress
from agents.adapters.documents.pdf_lines import lines_of
from agents.adapters.documents.pdf_tables import tables_of
from agents.adapters.documents.pdf_words import turn_of, words_of
from agents.core.digest import Page, PrintedTable
from agents.core.errors import BadInput
from agents.core.sentences import sentences

_LINEARIZED = re.compile(rb"/Linearized\b[^>]{0,200}?/L\s+(\d+)")


def read_pdf(data: bytes, *, name: str, limits: ReadLimits, progress: Progress) -> Parts:
    """Return the text of each page in reading order, and its tables.

    Raises ``BadInput`` for a file that is locked, damaged, cut off, too long, or only scanned.
    """
    document = open_pdf(data, name=name)
    count = len(document)
    if count > limits.max_pages:
        raise BadInput(
            f"{name} has {count} pages; at most {limits.max_pages} are read. "
            "Send the pages that matter as a PDF of their own, or raise the page limit in the settings."
        )
    parts = Parts("application/pdf")
    scanned: list[int] = []
    for index in range(count):
        try:
            is_picture = _read_page(document[index], index + 1, parts)
        except pypdfium2.PdfiumError as error:
            raise BadInput(
                f"{name} is damaged: page {index + 1} of {count} cannot be read. Export it again."
            ) from error
        if is_picture:
            scanned.append(index + 1)
        progress(index + 1, count)
    _check_text(parts, scanned, name)
    return parts


def open_pdf(data: bytes, *, name: str) -> Any:
    """Return pdfium's document. Raises ``BadInput`` when it is locked, damaged or cut off."""
    _check_whole(data, name)
    try:
        document = pypdfium2.PdfDocument(data)
        pages = len(document)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error, name) from error
    if pages == 0:
        raise BadInput(f"{name} is a PDF without pages. Check the file and send it again.")
    return document


def _refusal(error: Exception, name: str) -> BadInput:
    text = str(error).lower()
    if "password" in text:
        return BadInput(f"{name} is locked with a password. Save a copy without the password and send that.")
    if "security" in text:
        return BadInput(
            f"{name} is encrypted in a way that cannot be opened. Save an unprotected copy and send that."
        )
    return BadInput(f"{name} is damaged: it cannot be opened as a PDF. Download or export it again.")


def _check_whole(data: bytes, name: str) -> None:
    declared = _LINEARIZED.search(data[:2048])
    is_short = declared is not None and int(declared[1]) > len(data)
    if is_short or b"%%EOF" not in data:
        expected = f" ({len(data):,} of {int(declared[1]):,} bytes arrived)" if declared and is_short else ""
        raise BadInput(f"{name} is cut off: its end is missing{expected}. Download or send it again.")


def _read_page(page: Any, number: int, parts: Parts) -> bool:
    """Add the page to ``parts``; return True when it is a picture without text."""
    textpage = page.get_textpage()
    lines = lines_of(words_of(textpage))
    if turn_of(textpage.raw, textpage.count_chars()):
        text = text_of(lines)
    else:
        text = text_in_order(lines, _plain(textpage.get_text_range()))
    parts.pages.append(Page(number=number, text=text))
    for table in tables_of(lines, page=number, width=page.get_size()[0]):
        parts.tables.append(table.model_copy(update={"caption": _caption(table, text)}))
    is_picture = not text.strip() and _has_image(page)
    textpage.close()
    page.close()
    return is_picture


def _caption(table: PrintedTable, text: str) -> str:
    """Return the whole caption as the page prints it, the label alone when it is not found."""
    label = table.caption
    wanted = re.compile(r"\s*".join(map(re.escape, label.split())) + r"(?!\d)")
    titles = {word for cell in table.rows[0] for word in cell.split()}
    for span in sentences(text) if label else []:
        if wanted.match(text[span.start : span.end]):
            first, *more = text[span.start : span.end].split("\n")[:3]
            rest = takewhile(lambda line: not line.split() or line.split()[0] not in titles, more)
            return " ".join(" ".join([first, *rest]).split())
    return label


def _plain(text: str) -> str:
    """Put back the hyphen and the line end for which pdfium writes one U+FFFE."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-\n")


def _has_image(page: Any) -> bool:
    return any(True for _ in page.get_objects(filter=(pdfium_c.FPDF_PAGEOBJ_IMAGE,), max_depth=3))


def _check_text(parts: Parts, scanned: list[int], name: str) -> None:
    total = len(parts.pages)
    empty = [page.number for page in parts.pages if not page.text.strip()]
    if len(empty) == total:
        if scanned:
            raise BadInput(
                f"{name} is scanned: {len(scanned)} of {total} pages are pictures without text. "
                "Run text recognition (OCR) on it and send the result."
            )
        raise BadInput(f"{name} has {total} pages and no text on any of them. Send a document that has text.")
    if scanned:
        listed = ", ".join(map(str, scanned[:20])) + (" and more" if len(scanned) > 20 else "")
        parts.warnings.append(
            f"{len(scanned)} of {total} pages are pictures without text and were not read (page {listed}). "
            "Text recognition (OCR) would make them readable."
        )
