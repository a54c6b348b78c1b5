"""Past experiments from a table: every row is checked against the space before it may count."""

import re
from dataclasses import dataclass
from typing import Any

from agents.adapters.tables.cells import Cell, parse_number
from agents.adapters.tables.dataset import level_text
from agents.adapters.tables.table import Problem, ProblemKind, Table
from agents.core.measurement import Experiment, Measurement, MeasurementStatus, conditions_digest
from agents.core.science import Conditions, Objective, Parameter, Space
from agents.core.study import DatasetRef

_UNCERTAIN = re.compile(r"(?P<value>\S+)\s*(?:±|\+/-)\s*(?P<error>\S+)")
_LIMIT = re.compile(r"(?P<sign>[<>≤≥])\s*(?P<value>\S+)")
_FAILED = re.compile(r"fail(?:ed|ure)?|失败|abandon(?:ed)?|放弃|invalid|无效", re.IGNORECASE)


class _Refused(Exception):
    """A cell that keeps its row out; carries the problem."""

    def __init__(self, kind: ProblemKind, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass(frozen=True)
class _Place:
    """Where a parameter or an objective stands in the table, and how its numbers come to the study's unit."""

    index: int
    column: str
    unit: str


def experiments_from(
    table: Table, *, mapping: DatasetRef, space: Space, objectives: list[Objective]
) -> tuple[list[Experiment], list[Problem]]:
    """Return the rows of ``table`` as past experiments, and what kept the others out, by row and column.

    Columns come from ``mapping.columns``, else by title; ``mapping.levels`` translates texts of the file.
    Numbers are converted to the study's units. Equal conditions become replicates; a row that equals another in
    every column is taken for a copy and left out. Before a study has objectives and parameters, no row is one.
    ``5.1 ± 0.2`` gives an uncertainty, ``<0.1`` a detection limit.
    """
    if not objectives or not space.parameters:
        return [], [_not_yet(table, space=space, objectives=objectives)]
    places, problems = _places(table, mapping, space, objectives)
    if problems:
        return [], problems
    copies = {problem.row for problem in table.problems if problem.kind == "duplicate"}
    experiments: list[Experiment] = []
    seen: dict[str, int] = {}
    for row, number in zip(table.rows, table.numbers, strict=True):
        if number in copies:
            message = f"Row {number} is a copy of an earlier row and was left out."
            problems.append(Problem(kind="duplicate", message=message, row=number))
            continue
        conditions, faults = _conditions(row, number, places, space, mapping)
        measurements, more = _measurements(row, number, places, objectives)
        problems += faults + more
        if faults or more or not measurements:
            continue
        replicate = seen[conditions_digest(conditions)] = seen.get(conditions_digest(conditions), 0) + 1
        experiments.append(_experiment(conditions, measurements, replicate, f"row {number} of {table.name}"))
    return experiments, problems


def _experiment(
    conditions: Conditions, measurements: list[Measurement], replicate: int, note: str
) -> Experiment:
    has_value = any(
        measurement.status not in ("failed", "abandoned", "invalid") for measurement in measurements
    )
    return Experiment(
        id="",
        planned=conditions,
        measurements=measurements,
        replicate=replicate,
        status="measured" if has_value else "failed",
        origin="past",
        note=note,
    )


def _places(
    table: Table, mapping: DatasetRef, space: Space, objectives: list[Objective]
) -> tuple[dict[str, _Place], list[Problem]]:
    """Find the column of every parameter and of at least one objective, and check that units go together."""
    places: dict[str, _Place] = {}
    problems: list[Problem] = []
    wanted_columns: list[Parameter | Objective] = [*space.parameters, *objectives]
    for wanted in wanted_columns:
        index = table.position(mapping.columns.get(wanted.name, wanted.name))
        index = table.position(wanted.label) if index is None and wanted.label else index
        if index is None:
            if isinstance(wanted, Parameter):
                problems.append(_absent(wanted.name, table))
            continue
        column = table.columns[index]
        places[wanted.name] = _Place(index, column.name, column.unit)
        if column.unit and wanted.unit and not _converts(column.unit, wanted.unit):
            message = f"Column {column.name!r} is in {column.unit}, and {wanted.name} is in {wanted.unit}; these cannot be converted."
            problems.append(Problem(kind="unit", message=message, column=column.name))
    if objectives and not any(objective.name in places for objective in objectives):
        problems.append(_absent(" or ".join(objective.name for objective in objectives), table))
    return places, problems


def _absent(name: str, table: Table) -> Problem:
    titles = ", ".join(column.name for column in table.columns)
    message = f"No column of {table.name} holds {name}. Its columns are {titles}; say which one it is."
    return Problem(kind="header", message=message, column=name)


def _not_yet(table: Table, *, space: Space, objectives: list[Objective]) -> Problem:
    lacking = [
        what
        for what, is_there in (("objective", bool(objectives)), ("parameters", bool(space.parameters)))
        if not is_there
    ]
    message = (
        f"The study has no {' and no '.join(lacking)} yet, so no row of {table.name} is an experiment so far. "
        "Say what is varied and what is measured; the table is then read again by itself."
    )
    return Problem(kind="header", message=message)


def _converts(given: str, wanted: str) -> bool:
    from agents.tools.units import UnitMismatch, convert  # pint is loaded only when a unit is at hand

    try:
        convert(1.0, given=given, wanted=wanted)
    except UnitMismatch:
        return False
    return True


def _conditions(
    row: list[Cell], number: int, places: dict[str, _Place], space: Space, mapping: DatasetRef
) -> tuple[Conditions, list[Problem]]:
    conditions: Conditions = {}
    problems: list[Problem] = []
    for parameter in space.parameters:
        place = places[parameter.name]
        try:
            conditions[parameter.name] = _level(row[place.index], parameter, place, mapping)
        except _Refused as refused:
            problems.append(_problem(refused, number, place.column))
    return conditions, problems


def _problem(refused: _Refused, row: int, column: str) -> Problem:
    message = f"Row {row}, column {column!r}: {refused}. The row was left out."
    return Problem(kind=refused.kind, message=message, row=row, column=column)


def _level(cell: Cell, parameter: Parameter, place: _Place, mapping: DatasetRef) -> Any:
    """Return the level of ``parameter`` that a cell means. Raises ``_Refused``."""
    translated = mapping.levels.get(parameter.name, {})
    cell = {level_text(key): level for key, level in translated.items()}.get(level_text(cell), cell)
    if cell is None:
        raise _Refused("missing", f"there is no value for {parameter.name}")
    if parameter.kind == "categorical":
        return _choice(level_text(cell), parameter)
    value = _number(cell, place.unit, parameter.unit)
    if parameter.kind == "ordered":
        level = next((known for known in parameter.levels if _same(known, value)), None)
        if level is None:
            levels = ", ".join(level_text(known) for known in parameter.levels)
            raise _Refused("undeclared", f"{value:g} is not a level of {parameter.name} ({levels})")
        return level
    assert parameter.low is not None
    assert parameter.high is not None
    if not parameter.low <= value <= parameter.high:
        raise _Refused("out_of_bounds", f"{value:g} is outside {parameter.low:g} to {parameter.high:g}")
    if parameter.kind == "integer" and not float(value).is_integer():
        raise _Refused("not_a_number", f"{value:g} is not a whole number")
    return value


def _choice(text: str, parameter: Parameter) -> str:
    levels = [str(level) for level in parameter.levels]
    if text in levels:
        return text
    alike = [
        level for level in levels if "".join(level.split()).casefold() == "".join(text.split()).casefold()
    ]
    if len(alike) == 1:
        return alike[0]
    raise _Refused(
        "undeclared", f"{text[:60]!r} is not an option of {parameter.name} ({', '.join(levels[:20])})"
    )


def _same(level: Any, value: float) -> bool:
    return isinstance(level, int | float) and abs(level - value) <= 1e-9 * max(1.0, abs(level))


def _number(cell: Cell, given: str, wanted: str) -> float:
    number = parse_number(cell) if isinstance(cell, str) else cell
    if number is None:
        raise _Refused("not_a_number", f"{str(cell)[:40]!r} is not a number")
    return _converted(float(number), given, wanted)


def _converted(value: float, given: str, wanted: str) -> float:
    if not given or not wanted or given == wanted:
        return value
    from agents.tools.units import convert  # as above

    return convert(value, given=given, wanted=wanted)


def _measurements(
    row: list[Cell], number: int, places: dict[str, _Place], objectives: list[Objective]
) -> tuple[list[Measurement], list[Problem]]:
    found: list[Measurement] = []
    problems: list[Problem] = []
    for objective in objectives:
        place = places.get(objective.name)
        if place is None or row[place.index] is None:
            continue
        try:
            found.append(_measurement(row[place.index], objective, place))
        except _Refused as refused:
            problems.append(_problem(refused, number, place.column))
    if not found and not problems:
        message = f"Row {number} has no measured value. The row was left out."
        problems.append(Problem(kind="missing", message=message, row=number))
    return found, problems


def _measurement(cell: Cell, objective: Objective, place: _Place) -> Measurement:
    text = str(cell).strip()
    status: MeasurementStatus = "ok"
    error: float | None = None
    limit, uncertain = _LIMIT.fullmatch(text), _UNCERTAIN.fullmatch(text)
    if _FAILED.fullmatch(text):
        status = "abandoned" if re.match(r"abandon|放弃", text, re.IGNORECASE) else "failed"
        return Measurement(objective=objective.name, unit=objective.unit, status=status, note=text)
    if limit:
        status = "below_detection" if limit["sign"] in "<≤" else "above_detection"
        cell = limit["value"]
    elif uncertain:
        cell = uncertain["value"]
        zero = _converted(0.0, place.unit, objective.unit)
        error = abs(_number(uncertain["error"], place.unit, objective.unit) - zero)
    value = _number(cell, place.unit, objective.unit)
    below = objective.low is not None and value < objective.low
    above = objective.high is not None and value > objective.high
    if below or above:
        edge = f"below {objective.low:g}" if below else f"above {objective.high:g}"
        raise _Refused("out_of_bounds", f"{value:g} is {edge}, the limit of {objective.name}")
    return Measurement(
        objective=objective.name, value=value, unit=objective.unit, uncertainty=error, status=status
    )
