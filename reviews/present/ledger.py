"""Experiments as rows of a table."""

from typing import Any

from agents.core.departures import departing_faults
from agents.core.measurement import Measurement, departures_of
from agents.core.science import Constraint, Objective, Parameter, Space
from agents.models import Experiment


def table_row(
    row: Experiment,
    parameters: list[Parameter],
    objectives: list[Objective],
    constraints: list[Constraint],
) -> dict[str, Any]:
    """Return one experiment as the table shows it: the conditions that count, and a value an objective.

    What was not done as planned is marked, with what it breaks.
    """
    departs = bool(departures_of(row.planned, row.actual))
    space = Space(parameters=parameters)
    by_name = {m["objective"]: Measurement.model_validate(m) for m in row.measurements}
    return {
        "round": row.round,
        "conditions": [condition(row, parameter.name) for parameter in parameters],
        "values": [by_name.get(objective.name) for objective in objectives],
        "status": row.status,
        "departs": departs,
        "faults": departing_faults(row.planned, row.actual, space, constraints) if departs else [],
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
