"""The way in for everybody else: documents are read and shown by a child process, never here."""

import base64
from collections.abc import Callable
from pathlib import Path

from agents.adapters.documents.limits import ReadLimits
from agents.adapters.documents.supervise import ask_child
from agents.core.digest import ParsedDocument
from agents.core.errors import BadInput


def read_document(
    path: Path,
    *,
    name: str,
    limits: ReadLimits | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> ParsedDocument:
    """Return text by page, tables, language and warnings of a PDF, DOCX, HTML, Markdown or text file.

    ``name`` is what people call the file. ``on_progress(page, of)`` hears of each page; ``should_stop`` is
    asked ten times a second, and ends the reading. Raises ``BadInput`` with the reason for every file that
    cannot be read, ``Refused`` when stopped. Safe to call from several threads.
    """
    limits = limits or ReadLimits()
    _check_size(path, name, limits)
    request = {"do": "read", "path": str(path.resolve()), "name": name}
    answer = ask_child(request, limits=limits, on_progress=on_progress, should_stop=should_stop)
    return ParsedDocument.model_validate(answer["document"])


def render_page(
    path: Path, page: int, *, name: str = "", highlight: str = "", limits: ReadLimits | None = None
) -> bytes:
    """Return a page of a PDF as PNG, with ``highlight`` marked where the page prints it.

    Raises ``BadInput`` when the file is no readable PDF or has no such page.
    """
    limits = limits or ReadLimits()
    name = name or path.name
    _check_size(path, name, limits)
    request = {
        "do": "render",
        "path": str(path.resolve()),
        "name": name,
        "page": page,
        "highlight": highlight,
    }
    return base64.b64decode(ask_child(request, limits=limits)["image"])


def _check_size(path: Path, name: str, limits: ReadLimits) -> None:
    size = path.stat().st_size
    if size > limits.max_bytes:
        raise BadInput(
            f"{name} has {size / 1e6:,.0f} MB; at most {limits.max_bytes / 1e6:,.0f} MB are read. "
            "Send the part that matters."
        )
