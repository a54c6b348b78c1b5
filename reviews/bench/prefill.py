"""Values read from an attached table into a result that is being entered: only into what is still empty."""

from django.utils.translation import gettext as _

from agents.adapters.tables import read_table
from agents.adapters.tables.table import Table
from agents.core.errors import BadInput
from agents.core.science import Objective
from agents.models import Gate
from agents.store.artifacts import artifact_path
from reviews.bench.drafts import draft_fields, fill
from reviews.bench.readings import Readings, readings_in
from reviews.models import BenchFile

FIELD = "res.measurements.{name}.{part}"
SHOWN = 6


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
    try:
        found = readings_in(table, objective)
    except BadInput as fault:
        return str(fault)
    if found is None:
        return ""
    told = {"file": table.name, "column": found.column, "name": objective.label or objective.name}
    boxes = {part: FIELD.format(name=objective.name, part=part) for part in ("value", "replicates", "unit")}
    typed = draft_fields(gate)
    if typed.get(boxes["value"], "").strip() or typed.get(boxes["replicates"], "").strip():
        return _("Column “%(column)s” of %(file)s was not read: %(name)s has a value already.") % told
    if typed.get(boxes["unit"], objective.unit) != objective.unit:
        return (
            _("Column “%(column)s” of %(file)s was not read: %(name)s is being entered in another unit.")
            % told
        )
    texts = [f"{value:.12g}" for value in found.values]
    box = boxes["value"] if len(texts) == 1 else boxes["replicates"]
    fill(gate, by=by, values={box: "; ".join(texts), boxes["unit"]: objective.unit})
    shown = "; ".join(texts[:SHOWN]) + (" …" if len(texts) > SHOWN else "")
    return _("%(name)s %(shown)s %(unit)s from column “%(column)s” of %(file)s") % {
        **told,
        "shown": shown,
        "unit": objective.unit,
    }


def result_in(table: Table, gate: Gate) -> dict[str, object]:
    """Return the result that a table alone gives; raises ``BadInput`` when a quantity has no column."""
    measurements: dict[str, list[float]] = {}
    for row in gate.run.protocol.get("objectives", []):
        objective = Objective.model_validate(row)
        found: Readings | None = readings_in(table, objective)
        if found is None:
            titles = ", ".join(column.name for column in table.columns)
            raise BadInput(f"{table.name} has no column called {objective.name!r}; it has {titles}.")
        measurements[objective.name] = found.values
    if not measurements:
        raise BadInput("This task measures no quantity, so a table cannot answer it; give a JSON file.")
    return {"measurements": measurements}
