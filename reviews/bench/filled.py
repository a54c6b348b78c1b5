"""A table that came back filled in: its cells as they were typed, and what each row enters."""

import csv
import io
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from agents.adapters.documents.decoding import decode
from agents.adapters.tables.cells import parse_number
from agents.core.constraints import is_number
from agents.core.errors import BadInput
from agents.tools.units import split_quantity
from reviews.bench.notation import measured
from reviews.bench.table import Shape
from reviews.exports.escape import sheet_cell
from reviews.forms.numbers import as_moment

MOST_ROWS = 2000
NEEDED = ("task", "digest")
YES = ("yes", "y", "true", "1", "x", "✓", "是")
STATUS_WORDS = {"below": "below_detection", "above": "above_detection"}

Problem = tuple[str, str]
"""The column, and what is wrong there."""


@dataclass
class Filled:
    """One row. ``number`` is the one that a spreadsheet shows."""

    number: int
    cells: dict[str, str]
    decimal: str = "."

    def text(self, column: str) -> str:
        """Return the cell as it was typed, without the mark that kept it from being a formula."""
        value = self.cells.get(column, "").strip()
        bare = value.removeprefix("'")
        return bare if value != bare and sheet_cell(bare) == value else value

    def number_text(self, column: str) -> str:
        """Return a cell with a point for decimals and no thousands marks where it is a plain number."""
        text = self.text(column)
        found = parse_number(text, decimal=self.decimal) if text else None
        return text if found is None else repr(found)


@dataclass
class Entry:
    """What a row enters: ``result`` as the tool's own check reads it, or the problems that stand against it.

    ``is_confirmed``: what was done lies outside the limits, and the row says that it was really so.
    """

    result: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    is_confirmed: bool = False

    @property
    def is_empty(self) -> bool:
        """True for a row that nobody filled in."""
        return not self.result and not self.problems


def read_filled(content: bytes, *, name: str) -> list[Filled]:
    """Return the rows of a filled table. Raises ``BadInput`` when it is not one."""
    text = decode(content).text
    best: tuple[str, list[str]] | None = None
    for delimiter in (",", ";", "\t"):
        header = [cell.strip() for cell in next(csv.reader(io.StringIO(text), delimiter=delimiter), [])]
        if all(column in header for column in NEEDED):
            best = (delimiter, header)
    if best is None:
        raise BadInput(
            _(
                "%(name)s has no columns “task” and “digest” in its first row. Download the table again and fill that in."
            )
            % {"name": name}
        )
    delimiter, header = best
    twice = next((column for column in header if column and header.count(column) > 1), None)
    if twice:
        raise BadInput(_("%(name)s has the column “%(column)s” twice.") % {"name": name, "column": twice})
    decimal = "," if delimiter != "," else "."
    reader, rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), []
    try:
        for number, cells in enumerate(reader, start=1):
            if number > 1 and any(cell.strip() for cell in cells):
                rows.append(Filled(number, dict(zip(header, cells, strict=False)), decimal))
    except csv.Error as fault:
        raise BadInput(
            _("%(name)s cannot be read as a table: %(why)s.") % {"name": name, "why": fault}
        ) from None
    if not rows or len(rows) > MOST_ROWS:
        raise BadInput(
            _("%(name)s has %(count)s rows; expected 1 to %(most)s.")
            % {"name": name, "count": len(rows), "most": MOST_ROWS}
        )
    return rows


def entry_of(row: Filled, shape: Shape, planned: dict[str, Any]) -> Entry:
    """Return what ``row`` enters for a task that was planned at ``planned``."""
    entry = Entry(problems=_strange(row, shape))
    measurements = {o.name: found for o in shape.objectives if (found := _measurement(row, o.name, o.unit))}
    if measurements:
        entry.result["measurements"] = measurements
    for parameter in shape.parameters:
        _condition(row, parameter.name, planned, entry)
    for column, name in (("answer", "answer"), ("outcome", "status"), ("operator", "operator")):
        _copy(row, column, name, entry)
    for column in ("instrument", "note"):
        _copy(row, column, column, entry)
    if "status" in entry.result:
        entry.result["status"] = entry.result["status"].lower()
    _moment(row, entry)
    _confirmation(row, entry)
    return entry


def _strange(row: Filled, shape: Shape) -> list[Problem]:
    """A filled cell under a title that the template does not have would be lost without a word."""
    known = shape.header()
    return [
        (column, _("there is no such column in the table to fill in; leave it out"))
        for column in row.cells
        if column and column not in known and row.text(column)
    ]


def _measurement(row: Filled, name: str, unit: str) -> dict[str, Any]:
    value, status = row.number_text(f"{name}_value"), row.text(f"{name}_status").lower().replace(" ", "_")
    found: dict[str, Any] = {}
    if value:
        given = measured(value)
        found |= given if isinstance(given, dict) else {"value": given}
    if status:
        found["status"] = STATUS_WORDS.get(status, status)
    if row.text(f"{name}_uncertainty"):
        found["uncertainty"] = row.number_text(f"{name}_uncertainty")
    readings = row.text(f"{name}_replicates")
    if readings:
        found["replicates"] = [
            _plain_number(part, row.decimal) for part in readings.replace(";", " ").split()
        ]
    if not found:
        return {}
    typed_unit = _unit_in(found.get("value"))
    return found if "unit" in found or typed_unit else {**found, "unit": row.text(f"{name}_unit") or unit}


def _unit_in(value: Any) -> str:
    found = split_quantity(value) if isinstance(value, str) else None
    return found[1] if found else ""


def _plain_number(text: str, decimal: str) -> Any:
    found = parse_number(text.rstrip(","), decimal=decimal)
    return text if found is None else found


def _condition(row: Filled, name: str, planned: dict[str, Any], entry: Entry) -> None:
    column, wanted = f"planned_{name}", planned.get(name)
    typed = row.number_text(column) if is_number(wanted) else row.text(column)
    if typed and not _is_same(typed, wanted):
        told = _(
            "expected %(wanted)s as planned, received “%(typed)s”: write what was really done in %(column)s"
        )
        entry.problems.append((column, told % {"wanted": wanted, "typed": typed, "column": f"actual_{name}"}))
    done = row.number_text(f"actual_{name}") if is_number(wanted) else row.text(f"actual_{name}")
    if done:
        entry.result.setdefault("actual", {})[name] = done


def _is_same(typed: str, wanted: Any) -> bool:
    if not is_number(wanted):
        return typed == str(wanted).strip()
    found = parse_number(typed)
    return found is not None and abs(found - wanted) <= 1e-6 * max(1.0, abs(wanted))


def _copy(row: Filled, column: str, name: str, entry: Entry) -> None:
    if row.text(column):
        entry.result[name] = row.text(column)


def _moment(row: Filled, entry: Entry) -> None:
    text = row.text("measured_at")
    if not text:
        return
    moment = as_moment(text)
    if moment is None:
        told = _("expected date and time like 2026-11-30 14:05, received “%(typed)s”")
        entry.problems.append(("measured_at", told % {"typed": text[:40]}))
        return
    entry.result["measured_at"] = moment.isoformat(timespec="seconds")


def _confirmation(row: Filled, entry: Entry) -> None:
    text = row.text("really_so").lower()
    if text and text not in YES:
        told = _("expected yes or nothing, received “%(typed)s”")
        entry.problems.append(("really_so", told % {"typed": text[:40]}))
    entry.is_confirmed = text in YES
