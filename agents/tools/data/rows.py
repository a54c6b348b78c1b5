"""Rows of a table: choosing, grouping and describing. Pure functions on plain dicts."""

import statistics
from collections.abc import Callable, Iterable
from typing import Any, Literal

from agents.core.constraints import is_number, same_level
from agents.core.errors import BadInput
from agents.tools.gate.notes import nearest

Row = dict[str, Any]
Operator = Literal["=", "!=", "<", "<=", ">", ">="]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def columns_of(rows: Iterable[Row]) -> list[str]:
    """Return the names of all columns, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def check_columns(rows: list[Row], wanted: Iterable[str]) -> None:
    """Raise ``BadInput`` for a column that no row has, with the nearest name."""
    known = columns_of(rows)
    for name in wanted:
        if name not in known:
            close = nearest(name, known)
            hint = f" (did you mean {close}?)" if close else ""
            raise BadInput(
                f"there is no column {name!r}{hint}; the columns are: {', '.join(known) or 'none'}"
            )


def holds(row: Row, column: str, op: Operator, value: float | str) -> bool:
    """Return True when the cell stands in this relation to ``value``; a missing cell stands in none."""
    cell = row.get(column)
    if cell is None:
        return False
    if op in ("=", "!="):
        return (same_level(cell, value) or str(cell) == str(value)) is (op == "=")
    return is_number(cell) and is_number(value) and _COMPARE[op](float(cell), float(value))


def pairs(rows: list[Row], x: str, y: str) -> tuple[list[float], list[float]]:
    """Return the numbers of two columns where both have one."""
    check_columns(rows, (x, y))
    both = [(float(row[x]), float(row[y])) for row in rows if is_number(row.get(x)) and is_number(row.get(y))]
    if len(both) < 2:
        raise BadInput(f"only {len(both)} rows have numbers in both {x} and {y}; at least 2 are needed")
    return [a for a, _ in both], [b for _, b in both]


def grouped(rows: list[Row], by: list[str], value: str) -> list[tuple[Row, list[float]]]:
    """Return the numbers of ``value`` by equal cells of ``by``, the highest mean first."""
    check_columns(rows, (*by, value))
    groups: dict[tuple[str, ...], tuple[Row, list[float]]] = {}
    for row in rows:
        if is_number(row.get(value)):
            key = tuple(str(row.get(name)) for name in by)
            groups.setdefault(key, ({name: row.get(name) for name in by}, []))[1].append(float(row[value]))
    return sorted(groups.values(), key=lambda group: -statistics.fmean(group[1]))


def described(rows: list[Row], units: dict[str, str]) -> list[dict[str, Any]]:
    """Return, by column, what it holds: unit, number of filled cells, and range or levels."""
    return [
        _described(name, [row[name] for row in rows if row.get(name) is not None], units)
        for name in columns_of(rows)
    ]


def _described(name: str, cells: list[Any], units: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "filled": len(cells)}
    if units.get(name):
        found["unit"] = units[name]
    if cells and all(is_number(cell) for cell in cells):
        mean = statistics.fmean(cells)
        return {**found, "kind": "number", "low": min(cells), "high": max(cells), "mean": mean}
    levels = list(dict.fromkeys(str(cell) for cell in cells))
    return {**found, "kind": "text", "distinct": len(levels), "levels": levels[:20]}
