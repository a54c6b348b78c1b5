"""``plot``: a table of the study, or its own experiments, as a picture."""

import statistics
from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.constraints import is_number
from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.data.drawing import MOST_SERIES, REFERENCE, Drawing, Kind, Series
from agents.tools.data.rows import Row, check_columns, holds
from agents.tools.data.tables import Column, Tables, Where, offering
from agents.tools.isolation import run_isolated
from agents.tools.registry import tool, tool_of
from agents.tools.schema import Png
from agents.tools.tool import Tool

MOST_POINTS = 20_000
MOST_PLACES = 60
_DRAWING_S = 50.0


class Plot(BaseModel):
    """A picture, in words too. ``left_out`` counts the rows without a value to draw."""

    picture: Png
    caption: str
    points: int
    left_out: int


def plot_tool(tables: Tables, *, units: dict[str, str]) -> Tool:
    """Return the tool for these tables; ``units`` are by column."""

    @tool(category="data", effect=EffectClass.LOCAL, in_process=True, timeout_s=60, duration_s=3)
    async def plot(
        table: str,
        kind: Kind,
        x: Annotated[Column, Field(description="Of a histogram: the values that are counted.")],
        y: Annotated[Column | None, Field(description="Of bars: without it, rows are counted.")] = None,
        by: Annotated[Column | None, Field(description="One colour for each of its values.")] = None,
        where: Annotated[list[Where], Field(max_length=20)] = [],  # noqa: B006 (a pydantic default is copied)
        title: Annotated[str, Field(max_length=120)] = "",
    ) -> Plot:
        """Draw columns of a table as scatter, line, bars (means with standard deviation) or histogram."""
        rows = await tables[table]()
        check_columns(rows, [x, *([y] if y else []), *([by] if by else []), *(w.column for w in where)])
        chosen = [row for row in rows if all(holds(row, w.column, w.op, w.value) for w in where)]
        drawing, points = drawing_of(chosen, kind=kind, x=x, y=y, by=by, units=units, title=title)
        request = drawing.model_dump(mode="json")
        drawn = await run_isolated(REFERENCE, request, timeout_s=_DRAWING_S)
        return Plot(
            picture=drawn["picture"],
            caption=caption_of(drawing, by=by, table=table, points=points),
            points=points,
            left_out=len(chosen) - points,
        )

    return offering(tool_of(plot), list(tables))


def caption_of(drawing: Drawing, *, by: str | None, table: str, points: int) -> str:
    """Return what the plot shows, for those who cannot see it."""
    split = f", by {by}" if by else ""
    return f"{drawing.kind} of {drawing.y_label} against {drawing.x_label}{split}: {points} rows of {table}"


def drawing_of(
    rows: list[Row], *, kind: Kind, x: str, y: str | None, by: str | None, units: dict[str, str], title: str
) -> tuple[Drawing, int]:
    """Return the plot of ``rows`` and how many of them it shows. Raises ``BadInput`` when it cannot be drawn."""
    if kind in ("scatter", "line") and y is None:
        raise BadInput(f"field y is missing: a {kind} plot needs the column of its upward axis")
    if kind == "histogram" and y is not None:
        raise BadInput("field y: a histogram counts the values of x alone; leave y out, or draw bars")
    usable = [row for row in rows if _is_usable(row, kind, x, y)]
    if not usable:
        wanted = x if y is None else f"{x} and {y}"
        raise BadInput(f"none of the {len(rows)} rows has a value to draw in {wanted}")
    if len(usable) > MOST_POINTS:
        raise BadInput(f"{len(usable):,} rows are more than the {MOST_POINTS:,} that are drawn: use where")
    ticks = _ticks(usable, kind, x)
    series = [_series(name, part, kind, x, y, ticks) for name, part in _parts(usable, by).items()]
    count = "number of rows"
    drawing = Drawing(
        kind=kind,
        series=series,
        ticks=ticks,
        x_label=_label(x, units),
        y_label=_y_label(kind, y, units) if y else count,
        title=title,
    )
    return drawing, len(usable)


def _is_usable(row: Row, kind: Kind, x: str, y: str | None) -> bool:
    needs_number = kind in ("line", "histogram")
    has_x = is_number(row.get(x)) if needs_number else row.get(x) is not None
    return has_x and (y is None or is_number(row.get(y)))


def _ticks(rows: list[Row], kind: Kind, x: str) -> list[str]:
    """Return the names of the places when ``x`` is no axis of numbers."""
    cells = [row[x] for row in rows]
    if kind in ("line", "histogram") or (kind == "scatter" and all(map(is_number, cells))):
        return []
    ordered = sorted(set(cells)) if all(map(is_number, cells)) else cells
    names = list(dict.fromkeys(_name(cell) for cell in ordered))
    if len(names) > MOST_PLACES:
        raise BadInput(
            f"column {x} has {len(names)} different values, more than {MOST_PLACES} places: use where, or another column"
        )
    return names


def _parts(rows: list[Row], by: str | None) -> dict[str, list[Row]]:
    if by is None:
        return {"": rows}
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(_name(row.get(by)), []).append(row)
    if len(parts) > MOST_SERIES:
        raise BadInput(
            f"column {by} has {len(parts)} different values, more than {MOST_SERIES} colours: use where, or another column"
        )
    return dict(sorted(parts.items()))


def _series(name: str, rows: list[Row], kind: Kind, x: str, y: str | None, ticks: list[str]) -> Series:
    if kind == "histogram":
        return Series(name=name, x=[float(row[x]) for row in rows])
    if kind == "bar":
        return _bars(name, rows, x, y, ticks)
    at = [float(ticks.index(_name(row[x]))) if ticks else float(row[x]) for row in rows]
    points = list(zip(at, [float(row[str(y)]) for row in rows], strict=True))
    if kind == "line":
        points.sort()
    return Series(name=name, x=[a for a, _ in points], y=[b for _, b in points])


def _bars(name: str, rows: list[Row], x: str, y: str | None, ticks: list[str]) -> Series:
    heaps: dict[int, list[float]] = {}
    for row in rows:
        heaps.setdefault(ticks.index(_name(row[x])), []).append(float(row[y]) if y else 1.0)
    places = sorted(heaps)
    heights = [statistics.fmean(heaps[place]) if y else len(heaps[place]) for place in places]
    spread = [statistics.stdev(heaps[place]) if y and len(heaps[place]) > 1 else 0.0 for place in places]
    return Series(name=name, x=[float(place) for place in places], y=heights, spread=spread)


def _name(cell: object) -> str:
    if cell is None:
        return "(none)"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)[:40]


def _label(column: str, units: dict[str, str]) -> str:
    unit = units.get(column)
    return f"{column} ({unit})" if unit else column


def _y_label(kind: Kind, y: str, units: dict[str, str]) -> str:
    return f"mean of {_label(y, units)}" if kind == "bar" else _label(y, units)
