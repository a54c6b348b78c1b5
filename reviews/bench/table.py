"""The table that a batch of tasks is filled in with: its columns, and the empty template."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.core.errors import BadInput
from agents.core.science import Objective, Parameter, Space
from agents.models import Run
from agents.services.gates import action_of
from reviews.exports.escape import sheet_cell
from reviews.models import Review

FIRST = ("task", "digest", "study", "run", "round", "title", "assignee", "due")
LAST = ("outcome", "operator", "instrument", "measured_at", "note", "really_so")
DIGEST_SHOWN = 12
MEASURED = ("value", "unit", "uncertainty", "replicates", "status")


@dataclass(frozen=True)
class Shape:
    """What a table of a study's tasks has columns for."""

    parameters: list[Parameter]
    objectives: list[Objective]

    def header(self) -> list[str]:
        """Return the titles of the columns."""
        names = list(FIRST)
        for parameter in self.parameters:
            names += [f"planned_{parameter.name}", f"actual_{parameter.name}"]
        for objective in self.objectives:
            names += [f"{objective.name}_{part}" for part in MEASURED]
        if not self.objectives:
            names.append("answer")
        return [*names, *LAST]


def shape_of(run: Run) -> Shape:
    """Return the columns that tasks of ``run`` need."""
    return Shape(
        parameters=Space.model_validate(run.protocol.get("space") or {}).parameters,
        objectives=[Objective.model_validate(row) for row in run.protocol.get("objectives", [])],
    )


def digest_cell(digest: str) -> str:
    """Return the beginning of a digest, so that no spreadsheet takes ``12e45`` for a number."""
    return f"plan {digest[:DIGEST_SHOWN]}"


def write_template(reviews: Iterable[Review]) -> str:
    """Return one row for each waiting task: what it is, as planned, and empty cells for what comes out.

    Raises ``BadInput`` when there is none, or when the tasks do not measure the same at the same parameters.
    """
    rows = list(reviews)
    if not rows:
        raise BadInput(_("No task waits at the bench, so there is nothing to fill in."))
    shape = shape_of(rows[0].run)
    odd = next((row for row in rows if shape_of(row.run).header() != shape.header()), None)
    if odd is not None:
        raise BadInput(
            _("“%(one)s” and “%(other)s” measure different things: choose one study, or one run.")
            % {"one": rows[0].run.study.title, "other": odd.run.study.title}
        )
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([sheet_cell(name) for name in shape.header()])
    for row in rows:
        writer.writerow([sheet_cell(cell) for cell in _cells(row, shape)])
    return "\ufeff" + out.getvalue()


def _cells(row: Review, shape: Shape) -> list[object]:
    gate = row.gate
    action, task = action_of(gate), getattr(gate, "bench_task", None)
    planned = action.arguments if action else {}
    due = task.due_at.isoformat(timespec="minutes") if task and task.due_at else ""
    assignee = task.assignee.get_username() if task and task.assignee else ""
    cells: list[object] = [str(gate.pk), digest_cell(gate.digest), row.run.study.title, row.run.number]
    cells += [gate.round, row.title, assignee, due]
    for parameter in shape.parameters:
        cells += [planned.get(parameter.name), ""]
    for objective in shape.objectives:
        cells += ["", objective.unit, "", "", ""]
    return [*cells, *([] if shape.objectives else [""]), *[""] * len(LAST)]
