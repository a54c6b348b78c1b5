"""Experiments as rows of a table."""

from typing import Any

from agents.core.measurement import Measurement
from agents.core.science import Objective, Parameter
from agents.models import Experiment


def table_row(row: Experiment, parameters: list[Parameter], objectives: list[Objective]) -> dict[str, Any]:
    """Return one experiment as the table shows it: the conditions that count, and a value an objective."""
    by_name = {m["objective"]: Measurement.model_validate(m) for m in row.measurements}
    return {
        "round": row.round,
        "conditions": [condition(row, parameter.name) for parameter in parameters],
        "values": [by_name.get(objective.name) for objective in objectives],
        "status": row.status,
        "origin": row.origin,
        "replicate": row.replicate,
        "operator": row.operator,
        "instrument": row.instrument,
        "measured_at": row.measured_at,
        "note": row.note,
        "attachments": row.attachments,
        "run": row.run,
    }


def condition(row: Experiment, name: str) -> dict[str, Any]:
    """Return the condition that counts, and the planned one where it was another."""
    done = row.actual.get(name, row.planned.get(name))
    return {"value": done, "planned": row.planned.get(name), "is_changed": name in row.actual}
