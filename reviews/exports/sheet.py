"""The experiments as a table for spreadsheets and statistics programs."""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from agents.core.measurement import Experiment
from agents.core.science import Objective
from agents.core.study import StudyProtocol
from agents.models import Event, Run
from agents.models import Experiment as Row
from agents.store.ledger import as_value
from reviews.exports.escape import sheet_cell

FIXED = ("experiment", "id", "origin", "run", "round", "replicate", "status", "filed_at")
LAST = (
    "predicted_objective",
    "predicted_mean",
    "predicted_low",
    "predicted_high",
    "predicted_level",
    "operator",
    "instrument",
    "measured_at",
    "note",
    "attachments",
)
PARTS = ("value", "unit", "uncertainty", "status", "note", "replicates", "spread")
"""What is told of each objective. ``replicates`` are the single readings, ``spread`` their standard deviation."""


Line = tuple[Experiment, dict[str, Any] | None, datetime]


def write_sheet(run: Run) -> str:
    """Return the study's past experiments and those of ``run`` as CSV, one line each, oldest first.

    Every text is quoted, numbers are bare. ``actual_`` columns hold what was done, also where it is as
    planned; they are empty for an experiment that has not been done. The text starts with a byte order
    mark, without which spreadsheets misread all but ASCII.
    """
    protocol = StudyProtocol.model_validate(run.protocol)
    past, own = list(_past(run)), list(_own(run))
    names = _parameters(protocol, [experiment for experiment, _, _ in [*past, *own]])
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([sheet_cell(name) for name in _header(protocol, names)])
    for number, line in enumerate([*past, *own], start=1):
        owner = run.number if number > len(past) else None
        writer.writerow(
            [sheet_cell(cell) for cell in _cells(number, owner, line, names, protocol.objectives)]
        )
    return "\ufeff" + out.getvalue()


def _past(run: Run) -> Iterator[Line]:
    for row in Row.objects.filter(study_id=run.study_id, run=None).order_by("created_at", "position", "id"):
        yield as_value(row), row.prediction, row.created_at


def _own(run: Run) -> Iterator[Line]:
    events = Event.objects.filter(run=run, kind="experiment.filed").order_by("seq")
    for payload, at in events.values_list("payload", "at"):
        yield Experiment.model_validate(payload["experiment"]), payload.get("prediction"), at


def _parameters(protocol: StudyProtocol, experiments: Iterable[Experiment]) -> dict[str, str]:
    """Return the unit of every condition: the space's parameters, then what experiments name besides."""
    units = {parameter.name: parameter.unit for parameter in protocol.space.parameters}
    for experiment in experiments:
        for name in experiment.conditions:
            units.setdefault(name, "")
    return units


def _header(protocol: StudyProtocol, parameters: dict[str, str]) -> list[str]:
    names = list(FIXED)
    for name, unit in parameters.items():
        names += [f"planned_{name}", f"actual_{name}", *([f"{name}_unit"] if unit else [])]
    for objective in protocol.objectives:
        names += [f"{objective.name}_{part}" for part in PARTS]
    return _distinct([*names, *LAST])


def _distinct(names: list[str]) -> list[str]:
    """Number names that would come twice, as when an objective is called like a parameter."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


def _cells(
    number: int, owner: int | None, line: Line, parameters: dict[str, str], objectives: list[Objective]
) -> list[Any]:
    experiment, prediction, at = line
    cells: list[Any] = [
        number,
        experiment.id,
        experiment.origin,
        owner,
        experiment.round,
        experiment.replicate,
    ]
    cells += [experiment.status, at.isoformat(timespec="seconds")]
    done = {} if experiment.status == "planned" else experiment.conditions
    for name, unit in parameters.items():
        cells += [experiment.planned.get(name), done.get(name), *([unit] if unit else [])]
    by_name = {measurement.objective: measurement for measurement in experiment.measurements}
    for objective in objectives:
        found = by_name.get(objective.name)
        if found is None:
            cells += [None] * len(PARTS)
        else:
            readings = "; ".join(repr(reading) for reading in found.replicates)
            cells += [found.value, found.unit, found.uncertainty, found.status, found.note]
            cells += [readings, found.spread]
    stated = prediction or {}
    cells += [stated.get(name) for name in ("objective", "mean", "low", "high", "level")]
    files = "; ".join(f"{file.name} sha256:{file.content_hash}" for file in experiment.attachments)
    cells += [experiment.operator, experiment.instrument, experiment.measured_at, experiment.note]
    return [*cells, files]
