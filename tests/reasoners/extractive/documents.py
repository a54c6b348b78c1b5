"""Documents for tests, read from Markdown or from pages of text as a PDF gives them."""

from agents.adapters.documents.markdown import read_markdown
from agents.adapters.documents.read import language_of
from agents.core.digest import Digest, Page, ParsedDocument, PrintedTable
from agents.reasoners.extractive import extract_digest


def from_markdown(text: str) -> ParsedDocument:
    """Return the document that a Markdown file gives."""
    parts = read_markdown(text)
    return ParsedDocument(
        name="paper.md",
        media_type=parts.media_type,
        pages=parts.pages,
        tables=parts.tables,
        language=language_of(text),
    )


def from_pages(*pages: str, tables: list[PrintedTable] | None = None) -> ParsedDocument:
    """Return a document of these pages."""
    numbered = [Page(number=number, text=text) for number, text in enumerate(pages, start=1)]
    language = language_of(" ".join(pages))
    return ParsedDocument(
        name="paper.pdf", media_type="x", pages=numbered, tables=tables or [], language=language
    )


def digest_of(document: ParsedDocument | str, **options: str) -> Digest:
    """Return the digest of a document or of a Markdown text."""
    document = from_markdown(document) if isinstance(document, str) else document
    return extract_digest(document, document_id="d1", **options)


def texts(digest: Digest, kind: str) -> list[str]:
    """Return the texts of the items of one kind."""
    return [item.text for item in digest.items if item.kind == kind]


def predicates(digest: Digest) -> list[tuple[str, str, object]]:
    """Return parameter, operator and value of every executable limit."""
    found = [item.data["predicate"] for item in digest.items if item.kind == "constraint"]
    return [(p["parameter"], p["op"], p["value"]) for p in found if p]


def parameters(digest: Digest) -> dict[str, object]:
    """Return levels, or low and high, by name."""
    found = [item.data for item in digest.items if item.kind == "parameter"]
    return {p["name"]: p["levels"] or (p["low"], p["high"]) for p in found}
