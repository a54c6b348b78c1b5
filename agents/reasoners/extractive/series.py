"""Rows and columns of numbers: what the printed results and the checks are made of."""

from dataclasses import dataclass

from agents.core.quantities import find_quantities
from agents.reasoners.extractive.grids import Grid, Title, is_number, number_in, table_name, title_of
from agents.reasoners.extractive.reading import Reading


@dataclass(frozen=True)
class Series:
    """Numbers printed under or beside one title; ``cells`` keeps their spelling, None where there is none."""

    title: Title
    values: list[float | None]
    cells: list[str]
    table: str
    page: int

    @property
    def numbers(self) -> list[float]:
        """The values that are there."""
        return [value for value in self.values if value is not None]


def series_of(grid: Grid, reading: Reading) -> list[Series]:
    """Return the columns below a header, or the rows behind their labels when there is no header."""
    name, page = table_name(grid.table), grid.table.page
    if grid.titles:
        return [
            _series(title, [row[index] for row in grid.body], name, page)
            for index, title in enumerate(grid.titles)
            if title.printed
        ]
    if not is_sideways(grid):
        return []
    return [_series(title_of(row[0], reading), row[1:], name, page) for row in grid.body]


def is_sideways(grid: Grid) -> bool:
    """Return True for a table without a header whose first column holds the titles of its rows."""
    labels = [row[0] for row in grid.body]
    return not grid.titles and all(label and not is_number(label) for label in labels)


def _series(title: Title, cells: list[str], table: str, page: int) -> Series:
    units = {found[0].unit for cell in cells if len(found := find_quantities(cell)) == 1 and is_number(cell)}
    if not title.unit and len(units) == 1:
        title = Title(title.printed, title.label, units.pop(), title.symbol)
    return Series(title, [number_in(cell) for cell in cells], cells, table, page)
