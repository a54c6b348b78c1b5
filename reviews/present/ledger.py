"""Experiments as rows of a table."""

from typing import Any

from agents.core.science import Objective, Parameter
from agents.models import Experiment


def table_row(row: Experiment, parameters: list[Parameter], objectives: list[Objective]) -> dict[str, Any]:
    """Return one experiment as the table shows it: the conditions that count, and a value an objective."""
    conditions = {**row.planned, **row.actual}
    by_name = {m["objective"]: m for m in row.measurements}
    return {
        "round": row.round,
        "conditions": [conditions.get(parameter.name) for parameter in parameters],
        "values": [by_name.get(objective.name) for objective in objectives],
        "status": row.status,
        "origin": row.origin,
        "replicate": row.replicate,
        "operator": row.operator,
        "run": row.run,
    }
