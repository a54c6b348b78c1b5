"""The documents and tables of the study, and what was kept of them."""

from django.utils.translation import gettext as _

from agents.core.digest import DigestItem
from agents.core.study import DatasetRef
from reviews.exports.blocks import Block, Cell, Item, Items, Paragraph, Section, Table
from reviews.exports.parts.wording import place_text
from reviews.exports.record import Record
from reviews.present import words
from reviews.present.figures import number


def sources(record: Record) -> Section:
    """Return the documents and the kept digest items, each with page and quote."""
    protocol = record.protocol
    blocks: list[Block] = []
    if protocol.documents:
        rows: list[list[Cell]] = [
            [
                document.name,
                number(document.pages),
                _way(record.how.get(document.id, "")),
                document.content_hash,
            ]
            for document in protocol.documents
        ]
        columns = [_("Document"), _("Pages"), _("Digested"), _("SHA-256 of the file")]
        blocks.append(Table(columns, rows, numeric=frozenset({1})))
    else:
        blocks.append(Paragraph(_("The study has no documents.")))
    if protocol.datasets:
        blocks.append(_datasets(protocol.datasets))
    if protocol.digest:
        blocks.append(Items([_item(item) for item in protocol.digest]))
    return Section(_("Sources"), blocks)


def _way(how: str) -> str:
    return {"extractive": _("without a language model"), "language model": _("by a language model")}.get(
        how, how
    )


def _datasets(datasets: list[DatasetRef]) -> Table:
    rows: list[list[Cell]] = [
        [ref.name, str(words.label(words.DATASETS, ref.role)), number(ref.rows), ref.content_hash]
        for ref in datasets
    ]
    return Table([_("Table"), _("Use"), _("Rows"), _("SHA-256 of the file")], rows, numeric=frozenset({2}))


def _item(item: DigestItem) -> Item:
    label = words.ITEMS.get(item.kind, (item.kind,))[0]
    lines: list[tuple[str, Cell]] = [(_("Note"), item.note)] if item.note else []
    return Item(f"{label}: {item.text}", lines, quote=item.source.quote, place=place_text(item.source))
