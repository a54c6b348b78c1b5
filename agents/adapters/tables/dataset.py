"""A table used as an instrument or a record: conditions in, measured rows out."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.adapters.tables.cells import Cell, parse_number
from agents.adapters.tables.read import read_table
from agents.adapters.tables.table import Table
from agents.core.errors import BadInput
from agents.core.science import Conditions, Parameter, Space
from agents.core.study import DatasetRef

_Key = tuple[Any, ...]


@dataclass(frozen=True)
class Dataset:
    """``rows`` are dicts by the study's own names; other columns go by their title without the unit.

    ``table`` is the file as it was read, with its problems.
    """

    ref: DatasetRef
    table: Table
    columns: list[str]
    rows: list[dict[str, Any]]
    _indexes: dict[tuple[str, ...], dict[_Key, list[dict[str, Any]]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def find(self, conditions: Conditions, space: Space) -> list[dict[str, Any]]:
        """Return the rows measured at ``conditions`` in file order; numbers compared at 9 digits.

        Raises ``BadInput`` when a parameter of the space is missing from ``conditions`` or the table.
        """
        missing = [parameter.name for parameter in space.parameters if parameter.name not in conditions]
        if missing:
            raise BadInput(f"The conditions lack {', '.join(missing)}; give every parameter of the space.")
        key = tuple(canonical_level(conditions[parameter.name], parameter) for parameter in space.parameters)
        return [dict(row) for row in self._index(space).get(key, [])]

    def conditions(self, space: Space) -> list[Conditions]:
        """Return every distinct complete set of conditions in the table, in file order."""
        firsts = (rows[0] for rows in self._index(space).values())
        return [{parameter.name: row[parameter.name] for parameter in space.parameters} for row in firsts]

    def describe(self) -> dict[str, Any]:
        """Return name, row count and, by column, kind, unit and range or levels (at most 20)."""
        columns = [
            {
                "name": name,
                "column": known.name,
                "unit": known.unit,
                "kind": known.kind,
                **_summary(self.rows, name),
            }
            for name, known in zip(self.columns, self.table.columns, strict=True)
        ]
        return {"name": self.ref.name, "rows": len(self.rows), "columns": columns}

    def _index(self, space: Space) -> dict[_Key, list[dict[str, Any]]]:
        names = tuple(f"{parameter.name}:{parameter.kind}" for parameter in space.parameters)
        if names not in self._indexes:
            self._indexes[names] = self._build(space)
        return self._indexes[names]

    def _build(self, space: Space) -> dict[_Key, list[dict[str, Any]]]:
        absent = [parameter.name for parameter in space.parameters if parameter.name not in self.columns]
        if absent:
            raise BadInput(
                f"The table {self.ref.name} has no column for {', '.join(absent)}. Its columns are "
                f"{', '.join(self.columns)}. Map the parameter to its column in the study's data."
            )
        index: dict[_Key, list[dict[str, Any]]] = {}
        for row in self.rows:
            if all(row[parameter.name] is not None for parameter in space.parameters):
                key = tuple(canonical_level(row[parameter.name], parameter) for parameter in space.parameters)
                index.setdefault(key, []).append(row)
        return index


def canonical_level(value: Any, parameter: Parameter) -> Any:
    """Return one spelling for equal levels of ``parameter``: text stripped, numbers at 9 digits."""
    if parameter.kind == "categorical":
        return level_text(value)
    number = parse_number(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        return value
    return float(f"{float(number):.9g}")


def level_text(value: Any) -> str:
    """Return a level as text; whole numbers without a decimal point."""
    return (
        f"{value:.9g}"
        if isinstance(value, int | float) and not isinstance(value, bool)
        else str(value).strip()
    )


def load_dataset(path: Path, ref: DatasetRef) -> Dataset:
    """Return the table in ``path`` under the names and levels of ``ref``.

    Raises ``BadInput`` when a mapped column is not in the file.
    """
    table = read_table(path, name=ref.name)
    names = _titles(table)
    for name, column in ref.columns.items():
        position = table.position(column)
        if position is None:
            raise BadInput(
                f"{ref.name} has no column {column!r} for {name!r}. Its columns are {', '.join(names)}."
            )
        names[position] = name
    levels = {name: _by_text(mapping) for name, mapping in ref.levels.items()}
    rows = [
        {name: _level(cell, levels.get(name)) for name, cell in zip(names, row, strict=True)}
        for row in table.rows
    ]
    return Dataset(ref=ref, table=table, columns=names, rows=rows)


def _titles(table: Table) -> list[str]:
    """Return the titles without units, with them where two would be the same."""
    labels = [column.label for column in table.columns]
    return [column.label if labels.count(column.label) == 1 else column.name for column in table.columns]


def _by_text(mapping: dict[str, str]) -> dict[str, str]:
    return {
        level_text(number if (number := parse_number(text)) is not None else text): level
        for text, level in mapping.items()
    }


def _level(cell: Cell, mapping: dict[str, str] | None) -> Cell:
    if mapping is None or cell is None:
        return cell
    return mapping.get(level_text(cell), cell)


def _summary(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    values = [row[name] for row in rows if row[name] is not None]
    numbers = [value for value in values if isinstance(value, int | float)]
    if values and len(numbers) == len(values):
        return {
            "filled": len(values),
            "low": min(numbers),
            "high": max(numbers),
            "distinct": len(set(numbers)),
        }
    levels = list(dict.fromkeys(str(value) for value in values))
    return {"filled": len(values), "levels": levels[:20], "distinct": len(levels)}
