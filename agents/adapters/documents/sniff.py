"""What a file is, by its content. Names lie, by accident or on purpose."""

import io
import re
import zipfile
from pathlib import PurePath
from typing import Literal

from agents.adapters.documents.decoding import holds_binary
from agents.core.errors import BadInput

Kind = Literal["pdf", "docx", "html", "markdown", "text"]

MAX_UNPACKED = 200_000_000
MAX_RATIO = 150
MAX_ENTRIES = 4000

_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"BM", "a BMP picture"),
    (b"RIFF", "a media file"),
    (b"{\\rtf", "a Rich Text file"),
    (b"%!PS", "a PostScript file"),
    (b"\x1f\x8b", "a compressed file"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3", "a database"),
)
_NAMED: dict[str, Kind] = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".docm": "docx",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".csv": "text",
}
_TITLES = {
    "pdf": "a PDF",
    "docx": "a Word document",
    "html": "an HTML page",
    "markdown": "Markdown",
    "text": "text",
}
_HTML = re.compile(
    rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|svg)\b", re.I | re.S
)
_ADVICE = "Send a PDF, DOCX, HTML, Markdown or text file."


def kind_of(data: bytes, *, name: str) -> tuple[Kind, list[str]]:
    """Return what ``data`` is, with a warning when ``name`` says otherwise.

    Raises ``BadInput`` for what cannot be read as a document, naming what it is.
    """
    if not data.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        raise BadInput(f"{name} is empty. Choose the file again; it may not have been saved.")
    named = _NAMED.get(PurePath(name).suffix.casefold())
    kind = _kind(data, named, name)
    is_text = {kind, named} <= {"markdown", "text", "html"} and kind != "html"
    if named is None or named == kind or is_text:
        return kind, []
    suffix = PurePath(name).suffix
    return kind, [f"The name ends in {suffix}, but the file is {_TITLES[kind]}; it was read as that."]


def _kind(data: bytes, named: Kind | None, name: str) -> Kind:
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zip_kind(data, name)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise _old_office(data, name)
    for magic, what in _FOREIGN:
        if data.startswith(magic):
            raise BadInput(f"{name} is {what}, not a document that can be read. {_ADVICE}")
    if named in ("pdf", "docx"):
        raise BadInput(f"{name} is not {_TITLES[named]} inside, whatever its name says. {_ADVICE}")
    _check_is_text(data, name)
    if _HTML.match(data.removeprefix(b"\xef\xbb\xbf")[:4096]):
        return "html"
    return named or "text"


def _old_office(data: bytes, name: str) -> BadInput:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return BadInput(f"{name} is locked with a password. Save a copy without the password and send that.")
    return BadInput(f"{name} is in an old Office format. Open it in Word and save it as DOCX or PDF.")


def _check_is_text(data: bytes, name: str) -> None:
    if holds_binary(data):
        raise BadInput(f"{name} holds binary data, not text. {_ADVICE}")


def _zip_kind(data: bytes, name: str) -> Kind:
    try:
        entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise BadInput(
            f"{name} is cut off or damaged: it cannot be unpacked. Save or send it again."
        ) from error
    names = {entry.filename for entry in entries}
    if any(entry.flag_bits & 1 for entry in entries):
        raise BadInput(f"{name} is locked with a password. Save a copy without the password and send that.")
    _check_unpacked(entries, name)
    if "word/document.xml" in names:
        return "docx"
    if any(entry.startswith("xl/") for entry in names):
        raise BadInput(f"{name} is a spreadsheet. Save the sheet as CSV and add it to the study's data.")
    if any(entry.startswith("ppt/") for entry in names):
        raise BadInput(f"{name} is a presentation. Save it as PDF and send that.")
    raise BadInput(f"{name} is a zip archive. Unpack it and send the documents one by one.")


def _check_unpacked(entries: list[zipfile.ZipInfo], name: str) -> None:
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries) or 1
    is_bomb = unpacked > 10_000_000 and unpacked / packed > MAX_RATIO
    if len(entries) > MAX_ENTRIES or unpacked > MAX_UNPACKED or is_bomb:
        raise BadInput(
            f"{name} would unpack to {unpacked / 1e6:,.0f} MB in {len(entries):,} parts, far more than a document "
            "needs, and was not opened. Save it again from Word, or send a PDF."
        )
