"""The formats in which a run leaves Daybook."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils import translation
from django.utils.translation import gettext_lazy as _

from agents.core.errors import BadInput
from agents.models import Run
from reviews.exports.blocks import Document
from reviews.exports.html import write_html
from reviews.exports.lines import write_lines
from reviews.exports.markdown import write_markdown
from reviews.exports.record import Record, record_of
from reviews.exports.report import methods_of, report_of
from reviews.exports.sheet import write_sheet
from reviews.present.words import Text


@dataclass(frozen=True)
class Export:
    """A file to hand out: its name, media type and content."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True)
class Format:
    """One way out. ``part`` and ``suffix`` make the file's name; ``write`` makes its text."""

    name: str
    label: Text
    part: str
    suffix: str
    media_type: str
    write: Callable[[Run], str]


def _report(
    write: Callable[..., str], told: Callable[[Record], Document] = report_of
) -> Callable[[Run], str]:
    def written(run: Run) -> str:
        record = record_of(run)
        # A report speaks the language of its study, whoever asks for it.
        with translation.override(record.protocol.language):
            return write(told(record))

    return written


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("html", "HTML", "report", "html", "text/html; charset=utf-8", _report(write_html)),
        Format("md", "Markdown", "report", "md", "text/markdown; charset=utf-8", _report(write_markdown)),
        Format("csv", "CSV", "experiments", "csv", "text/csv; charset=utf-8", write_sheet),
        Format("jsonl", "JSON Lines", "log", "jsonl", "application/x-ndjson; charset=utf-8", write_lines),
        Format(
            "methods",
            _("Methods"),
            "methods",
            "md",
            "text/markdown; charset=utf-8",
            _report(write_markdown, methods_of),
        ),
    )
}


def export_run(run: Run, format: str) -> Export:
    """Return ``run``, in whatever state it is, as ``format``: one of ``FORMATS``.

    The same log gives the same bytes. Raises ``BadInput`` for a format that does not exist. Who may see the
    run is for the caller to check.
    """
    known = FORMATS.get(format)
    if known is None:
        raise BadInput(f"There is no format {format!r}; choose one of {', '.join(FORMATS)}.")
    name = f"{run.study.slug}-run-{run.number}-{known.part}.{known.suffix}"
    return Export(name, known.media_type, known.write(run).encode())
