"""Readings of a measured quantity in a table that somebody exported from an instrument."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.adapters.tables.table import Table
from agents.core.errors import BadInput
from agents.core.science import Objective
from agents.tools.bench.ask import MOST_REPLICATES
from agents.tools.units import UnitMismatch, convert


@dataclass(frozen=True)
class Readings:
    """Numbers from one column, in the objective's unit."""

    column: str
    values: list[float]


def readings_in(table: Table, objective: Objective) -> Readings | None:
    """Return the readings in the column that is called like ``objective``, or None when there is no such column.

    Raises ``BadInput`` with the reason when the column cannot be read as readings.
    """
    place = table.position(objective.name)
    if place is None and objective.label:
        place = table.position(objective.label)
    if place is None:
        return None
    column = table.columns[place]
    told = {"file": table.name, "column": column.name}
    numbers = [float(cell) for row in table.rows if isinstance(cell := row[place], int | float)]
    if not numbers or len(numbers) > MOST_REPLICATES:
        raise BadInput(
            _("Column “%(column)s” of %(file)s holds %(count)s numbers; 1 to %(most)s are read.")
            % {**told, "count": len(numbers), "most": MOST_REPLICATES}
        )
    unit = column.unit or objective.unit
    try:
        return Readings(column.name, [convert(each, given=unit, wanted=objective.unit) for each in numbers])
    except UnitMismatch as fault:
        raise BadInput(
            _("Column “%(column)s” of %(file)s was not read: %(why)s.") % {**told, "why": fault}
        ) from None
