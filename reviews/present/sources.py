"""The sources of a study as the set-up page shows them."""

from dataclasses import dataclass
from typing import Any

from agents import services
from agents.models import DigestItem, Document, Study
from reviews.present.words import ITEMS, Text


@dataclass(frozen=True)
class ItemGroup:
    """The digest items of one kind in one document."""

    kind: str
    title: Text
    icon: str
    items: list[DigestItem]


def sources_view(study: Study) -> dict[str, Any]:
    """Return documents with their items by kind, and tables with the names their columns may stand for."""
    items = list(study.digest_items.select_related("document").order_by("position"))
    rows = [document_row(d, [i for i in items if i.document_id == d.pk]) for d in study.documents.all()]
    names = [p["name"] for p in (study.space or {}).get("parameters", [])] + [
        o["name"] for o in study.objectives
    ]
    results = {str(item.data["name"]) for item in items if item.kind == "result" and item.data.get("name")}
    datasets = list(study.datasets.all())
    return {"documents": rows, "datasets": datasets, "names": names, "result_names": sorted(results)}


def document_row(document: Document, items: list[DigestItem]) -> dict[str, Any]:
    """Return a document with its items by kind, its tables of runs, and whether it is still being read."""
    is_reading = document.status in (Document.Status.UPLOADED, Document.Status.READING)
    tables = services.printed_tables(items)
    return {"document": document, "groups": _groups(items), "tables": tables, "is_reading": is_reading}


def _groups(items: list[DigestItem]) -> list[ItemGroup]:
    groups = []
    for kind, (_one, many, icon) in ITEMS.items():
        rows = [item for item in items if item.kind == kind]
        if rows:
            groups.append(ItemGroup(kind, many, icon, rows))
    return groups
