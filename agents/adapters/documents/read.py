"""One document from bytes to ``ParsedDocument``. Runs in the child process."""

import io
import re
import zipfile
import zlib

from agents.adapters.documents.decoding import decode
from agents.adapters.documents.limits import ReadLimits
from agents.adapters.documents.parts import Parts, Progress
from agents.adapters.documents.sniff import Kind, kind_of
from agents.core.digest import Page, ParsedDocument, PrintedTable
from agents.core.errors import BadInput
from agents.core.text import clean_text

_ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)\b", re.IGNORECASE)


def parse(data: bytes, *, name: str, limits: ReadLimits, progress: Progress) -> ParsedDocument:
    """Return the document's text by page, its tables and its language. Raises ``BadInput`` with the reason."""
    kind, warnings = kind_of(data, name=name)
    parts = _parts(kind, data, name=name, limits=limits, progress=progress)
    pages = [Page(number=page.number, text=clean_text(page.text)) for page in parts.pages]
    total = sum(len(page.text) for page in pages)
    if not any(page.text.strip() for page in pages):
        raise BadInput(f"{name} has no readable text. Send a document that has text.")
    if total > limits.max_characters:
        raise BadInput(
            f"{name} has {total:,} characters; at most {limits.max_characters:,} are read. Send the part that matters."
        )
    return ParsedDocument(
        name=name,
        media_type=parts.media_type,
        pages=pages,
        tables=[_clean_table(table) for table in parts.tables],
        language=language_of(" ".join(page.text for page in pages)),
        warnings=warnings + parts.warnings,
    )


def _parts(kind: Kind, data: bytes, *, name: str, limits: ReadLimits, progress: Progress) -> Parts:
    """Call the reader of ``kind``; each is imported only when it is needed."""
    if kind == "pdf":
        from agents.adapters.documents.pdf import read_pdf

        return read_pdf(data, name=name, limits=limits, progress=progress)
    if kind == "docx":
        from agents.adapters.documents.docx import read_docx

        _check_docx(data, name)
        parts = read_docx(data, name=name)
        parts.warnings += _macros(data)
    else:
        decoded = decode(data)
        parts = _text_parts(kind, decoded.text)
        parts.warnings[:0] = decoded.warnings
    progress(len(parts.pages), len(parts.pages))
    return parts


def _text_parts(kind: Kind, text: str) -> Parts:
    if kind == "html":
        from agents.adapters.documents.html import read_html

        return read_html(text)
    if kind == "markdown":
        from agents.adapters.documents.markdown import read_markdown

        return read_markdown(text)
    from agents.adapters.documents.text import read_text

    return read_text(text)


def _check_docx(data: bytes, name: str) -> None:
    """Word never writes document types or entities; only attacks on the XML parser do."""
    try:
        xml = zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml")
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise BadInput(
            f"{name} is cut off or damaged: it cannot be unpacked. Save or send it again."
        ) from error
    if _ENTITY.search(xml[:4096]) or b"<!ENTITY" in xml:
        raise BadInput(
            f"{name} defines XML entities, which documents from Word never do, and was not opened."
        )


def _macros(data: bytes) -> list[str]:
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    has_macros = any(entry.casefold().endswith("vbaproject.bin") for entry in names)
    return ["The document contains macros; they were ignored."] if has_macros else []


def _clean_table(table: PrintedTable) -> PrintedTable:
    rows = [[clean_text(cell) for cell in row] for row in table.rows]
    return PrintedTable(page=table.page, caption=clean_text(table.caption), rows=rows)


_ENGLISH = frozenset(
    [
        "the",
        "of",
        "and",
        "to",
        "in",
        "is",
        "was",
        "were",
        "for",
        "with",
        "that",
        "by",
        "as",
        "at",
        "from",
        "are",
        "this",
        "be",
        "on",
        "an",
        "or",
    ]
)


def language_of(text: str) -> str:
    """Return ``zh`` when a fifth of the letters are Chinese, ``en`` for English, else ``other``."""
    letters = [char for char in text[:200_000] if char.isalpha()]
    if not letters:
        return "other"
    if sum("\u3400" <= char <= "\u9fff" for char in letters) > 0.2 * len(letters):
        return "zh"
    latin = re.findall(r"[a-z]+", text[:200_000].casefold())
    common = sum(word in _ENGLISH for word in latin)
    return "en" if latin and (common > 0.08 * len(latin) or len(latin) < 12) else "other"
