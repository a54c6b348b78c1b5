"""Values read from an attached table into a result that is being entered: only into what is still empty."""

from typing import Any

from django.utils.translation import gettext as _

from agents.adapters.tables import read_table
from agents.adapters.tables.table import Table
from agents.core.errors import BadInput
from agents.core.science import Objective
from agents.models import Gate
from agents.store.artifacts import artifact_path
from agents.tools.bench.ask import MOST_REPLICATES
from agents.tools.units import UnitMismatch, convert
from reviews.bench.drafts import draft_fields, fill
from reviews.models import BenchFile

FIELD = "res.measurements.{name}.{part}"


def prefill(gate: Gate, file: BenchFile, *, by: str) -> list[str]:
    """Fill the draft of ``gate`` from the columns of ``file`` that are called like a measured quantity.

    Returns what was taken, and what was not and why, as sentences; they are kept with the file.
    """
    if file.media_type != "text/csv":
        return []
    try:
        table = read_table(artifact_path(file.content_hash), name=file.name)
    except BadInput as fault:
        notes = [str(fault)]
    else:
        rows = gate.run.protocol.get("objectives", [])
        notes = [_take(gate, table, Objective.model_validate(row), by=by) for row in rows]
        notes = [note for note in notes if note] or [
            _("No column of %(file)s is called like a measured quantity, so nothing was filled in.")
            % {"file": file.name}
        ]
    file.notes = notes
    file.save(update_fields=["notes"])
    return notes


def _take(gate: Gate, table: Table, objective: Objective, *, by: str) -> str:
    place = table.position(objective.name)
    if place is None and objective.label:
        place = table.position(objective.label)
    if place is None:
        return ""
    column = table.columns[place]
    told: dict[str, Any] = {
        "file": table.name,
        "column": column.name,
        "name": objective.label or objective.name,
    }
    numbers = [float(row[place] or 0) for row in table.rows if isinstance(row[place], int | float)]
    if not numbers or len(numbers) > MOST_REPLICATES:
        told |= {"count": len(numbers), "most": MOST_REPLICATES}
        return _("Column “%(column)s” of %(file)s holds %(count)s numbers; 1 to %(most)s are read.") % told
    try:
        values = [
            convert(each, given=column.unit or objective.unit, wanted=objective.unit) for each in numbers
        ]
    except UnitMismatch as fault:
        return _("Column “%(column)s” of %(file)s was not read: %(why)s.") % {**told, "why": fault}
    boxes = {part: FIELD.format(name=objective.name, part=part) for part in ("value", "replicates", "unit")}
    typed = draft_fields(gate)
    if typed.get(boxes["value"], "").strip() or typed.get(boxes["replicates"], "").strip():
        return _("Column “%(column)s” of %(file)s was not read: %(name)s has a value already.") % told
    texts = [f"{value:.12g}" for value in values]
    box = boxes["value"] if len(texts) == 1 else boxes["replicates"]
    if typed.get(boxes["unit"], objective.unit) != objective.unit:
        return (
            _("Column “%(column)s” of %(file)s was not read: %(name)s is being entered in another unit.")
            % told
        )
    fill(gate, by=by, values={box: "; ".join(texts), boxes["unit"]: objective.unit})
    shown = "; ".join(texts[:6]) + (" …" if len(texts) > 6 else "")
    return _("%(name)s %(shown)s %(unit)s from column “%(column)s” of %(file)s") % {
        **told, "shown": shown, "unit": objective.unit,
    }  # fmt: skip
