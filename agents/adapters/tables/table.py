"""A table as it was read: columns, rows and what was wrong with them."""

from dataclasses import dataclass, field
from typing import Literal

from agents.adapters.tables.cells import Cell
from agents.core.science import Value

ProblemKind = Literal[
    "header",
    "ragged",
    "missing",
    "not_a_number",
    "not_finite",
    "formula",
    "duplicate",
    "undeclared",
    "out_of_bounds",
    "unit",
]


class Problem(Value):
    """One fault, for a person: ``row`` is the row a spreadsheet shows (the header is usually row 1)."""

    kind: ProblemKind
    message: str
    row: int | None = None
    column: str = ""


class Column(Value):
    """``name`` is the header as printed; ``label`` and ``unit`` are its parts.

    ``kind`` is ``number`` when at least nine in ten filled cells are numbers.
    """

    name: str
    label: str
    unit: str = ""
    kind: Literal["number", "text", "empty"] = "text"


@dataclass(frozen=True)
class Table:
    """``rows`` hold one cell a column; ``numbers`` hold each row's number in the file."""

    name: str
    columns: list[Column]
    rows: list[list[Cell]]
    numbers: list[int]
    problems: list[Problem] = field(default_factory=list)
    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."

    def position(self, column: str) -> int | None:
        """Return the place of the column with this header, else this label, case ignored last; or None."""
        folded = column.strip().casefold()
        spellings = (
            [known.name for known in self.columns],
            [known.label for known in self.columns],
            [known.name.casefold() for known in self.columns],
            [known.label.casefold() for known in self.columns],
        )
        for wanted, known in zip((column, column, folded, folded), spellings, strict=True):
            if wanted in known:
                return known.index(wanted)
        return None
