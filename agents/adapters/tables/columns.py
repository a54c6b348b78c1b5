"""What each column holds: title, unit, numbers or text; cells turned into values."""

from agents.adapters.tables.cells import Cell, is_formula, is_missing, is_not_finite, parse_number, split_unit
from agents.adapters.tables.table import Column, Problem
from agents.core.unit_text import split_title

_MOSTLY = 0.9


def typed_columns(
    header: list[str], body: list[tuple[int, list[str]]], *, decimal: str
) -> tuple[list[Column], list[list[Cell]], list[Problem]]:
    """Return columns, rows of values, and the cells that do not fit their column."""
    columns: list[Column] = []
    values: list[list[Cell]] = []
    problems: list[Problem] = []
    numbers = [number for number, _ in body]
    for index, name in enumerate(header):
        texts = [row[index] for _, row in body]
        column, cells, faults = _typed(name, texts, numbers, decimal)
        columns.append(column)
        values.append(cells)
        problems += faults
    rows: list[list[Cell]] = [list(row) for row in zip(*values, strict=True)]
    return columns, rows, sorted(problems, key=lambda problem: problem.row or 0)


def _typed(
    name: str, texts: list[str], numbers: list[int], decimal: str
) -> tuple[Column, list[Cell], list[Problem]]:
    label, unit = split_title(name)
    filled = [text for text in texts if not is_missing(text)]
    parsed = [parse_number(text, decimal=decimal) for text in filled]
    finite = [text for text in filled if not is_not_finite(text)]
    count = sum(value is not None for value in parsed)
    shared = _shared_unit(finite, decimal) if finite and count == 0 else None
    is_number = bool(finite) and (shared is not None or count >= max(1.0, _MOSTLY * len(finite)))
    kind = "number" if is_number else "text" if filled else "empty"
    column = Column(name=name, label=label, unit=unit or shared or "", kind=kind)
    cells: list[Cell] = []
    problems: list[Problem] = []
    for text, number in zip(texts, numbers, strict=True):
        cell, fault = _value(text, column, decimal, has_units=shared is not None)
        cells.append(cell)
        if fault:
            problems.append(_problem(fault, text, number, name))
    return column, cells, problems


def _shared_unit(texts: list[str], decimal: str) -> str | None:
    """Return the unit that every cell repeats (``60 °C``), or None."""
    split = [split_unit(text, decimal=decimal) for text in texts]
    units = {part[1] for part in split if part}
    return units.pop() if all(split) and len(units) == 1 else None


def _value(text: str, column: Column, decimal: str, *, has_units: bool) -> tuple[Cell, str]:
    if is_missing(text):
        return None, "missing"
    if is_not_finite(text):
        return None, "not_finite"
    if column.kind != "number":
        return text, "formula" if is_formula(text) else ""
    if has_units:
        part = split_unit(text, decimal=decimal)
        return (part[0], "") if part else (text, "not_a_number")
    number = parse_number(text, decimal=decimal)
    if number is not None:
        return number, ""
    return text, "formula" if is_formula(text) else "not_a_number"


_MESSAGES = {
    "missing": "Row {row}, column {column!r}: there is no value.",
    "not_finite": "Row {row}, column {column!r}: {text!r} is not a usable number; it is treated as missing.",
    "formula": "Row {row}, column {column!r}: {text!r} is a formula; it is kept as text and never run.",
    "not_a_number": "Row {row}, column {column!r}: {text!r} is not a number, and the column holds numbers.",
}


def _problem(kind: str, text: str, row: int, column: str) -> Problem:
    message = _MESSAGES[kind].format(row=row, column=column, text=text[:40])
    return Problem.model_validate({"kind": kind, "message": message, "row": row, "column": column})
