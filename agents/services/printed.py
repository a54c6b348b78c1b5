"""Runs that a document prints in a table, taken in as past experiments."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from agents.core.errors import BadInput
from agents.models import Dataset, DigestItem, Document
from agents.services.datasets import add_dataset, remove_dataset
from agents.services.studies import change_study

FEWEST = 2


@dataclass(frozen=True)
class PrintedTable:
    """A table of a document whose rows give settings and what was measured at them."""

    label: str
    settings: tuple[str, ...]
    measured: dict[str, str]
    """Unit by the name of what was measured."""
    rows: tuple[dict[str, Any], ...]

    def as_csv(self) -> bytes:
        """Return the table with one column for each setting and each measured name; a missing cell is empty."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [*self.settings, *self.measured], restval="")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue().encode()


def printed_tables(items: Iterable[DigestItem]) -> list[PrintedTable]:
    """Return the tables that ``items`` (of one document) hold at least two kept runs of, in their order."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        is_run = item.data.get("conditions") and item.data.get("responses") and item.data.get("table")
        if item.kind == "result" and is_run and item.status != DigestItem.Status.DROPPED:
            runs.setdefault(item.data["table"], []).append(item.data)
    return [_table(label, rows) for label, rows in runs.items() if len(rows) >= FEWEST]


def _table(label: str, runs: list[dict[str, Any]]) -> PrintedTable:
    settings = tuple(dict.fromkeys(name for run in runs for name in run["conditions"]))
    measured = {row["name"]: row["unit"] for run in runs for row in run["responses"]}
    rows = tuple(run["conditions"] | {row["name"]: row["value"] for row in run["responses"]} for run in runs)
    return PrintedTable(label, settings, measured, rows)


@transaction.atomic
def use_printed_runs(document: Document, *, label: str, measured: str = "") -> Dataset:
    """File the runs of the table ``label`` of ``document`` as past experiments of its study.

    A study that does not say yet what is measured takes ``measured``, one of the table's names (the first unless
    given), as its objective, to be maximised until somebody says otherwise. Using a table again replaces it.
    Raises ``BadInput`` when the document prints no such table or the table no such name.
    """
    tables = {table.label: table for table in printed_tables(document.digest_items.order_by("position"))}
    if label not in tables:
        known = ", ".join(tables) or "no table of runs"
        raise BadInput(f"{document.name!r} prints no runs in {label!r}; it has {known}.")
    table, study = tables[label], document.study
    name = measured or next(iter(table.measured))
    if name not in table.measured:
        raise BadInput(f"{label} measures {', '.join(table.measured)}, not {name!r}.")
    if not study.objectives:
        change_study(study, objectives=[{"name": name, "unit": table.measured[name]}])
    file_name = f"{label} of {document.name}.csv"
    for earlier in study.datasets.filter(name=file_name):
        remove_dataset(earlier)
    return add_dataset(study, file=io.BytesIO(table.as_csv()), name=file_name, role=Dataset.Role.PAST)
