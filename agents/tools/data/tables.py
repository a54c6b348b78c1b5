"""Tools on the tables of a study: its datasets and its own experiments."""

import statistics
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.data.rows import Operator, Row, check_columns, described, grouped, holds, pairs
from agents.tools.data.statistics import Anova, Correlation, anova, correlation
from agents.tools.numerics.fits import CurveName, Fit, fit_curve, fit_line, fit_polynomial
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool

Tables = Mapping[str, Callable[[], Awaitable[list[Row]]]]
"""By the name that the reasoner uses: what loads the rows."""

Column = Annotated[str, Field(min_length=1, max_length=200)]


class Where(BaseModel):
    """A condition on a column."""

    column: Column
    op: Operator = "="
    value: float | str


class Rows(BaseModel):
    """Rows of a table; ``matched`` counts all that fit, also those beyond the limit."""

    matched: int
    rows: list[dict[str, Any]]


class Group(BaseModel):
    """The values of one group in numbers."""

    group: dict[str, Any]
    n: int
    mean: float
    sd: float | None = None
    low: float
    high: float


class Groups(BaseModel):
    """Groups, the highest mean first, and whether their means differ (absent with too few values)."""

    groups: list[Group]
    anova: Anova | None = None


class TableDescription(BaseModel):
    """What a table holds."""

    rows: int
    columns: list[dict[str, Any]]


def table_tools(tables: Tables, *, units: dict[str, str]) -> list[Tool]:
    """Return the tools for these tables; none when there is no table. ``units`` are by column."""
    if not tables:
        return []

    @tool(category="data", effect=EffectClass.LOCAL, in_process=True)
    async def describe_dataset(table: str) -> TableDescription:
        """Describe a table of the study: rows, and for each column unit, range or levels."""
        rows = await tables[table]()
        return TableDescription(rows=len(rows), columns=described(rows, units))

    @tool(category="data", effect=EffectClass.LOCAL, in_process=True)
    async def filter_rows(
        table: str,
        where: Annotated[list[Where], Field(max_length=20)] = [],  # noqa: B006 (a pydantic default is copied)
        columns: Annotated[list[Column] | None, Field(max_length=50)] = None,
        order_by: Column | None = None,
        descending: bool = False,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> Rows:
        """Return the rows of a table that meet all conditions, ordered and cut to a limit."""
        rows = await tables[table]()
        check_columns(rows, [*(w.column for w in where), *(columns or []), *([order_by] if order_by else [])])
        return _chosen(rows, where, columns, order_by, descending, limit)

    @tool(category="data", effect=EffectClass.LOCAL, in_process=True)
    async def group_rows(
        table: str, by: Annotated[list[Column], Field(min_length=1, max_length=3)], value: Column
    ) -> Groups:
        """Summarise a numeric column by groups (mean, spread, count) and test whether the means differ."""
        return _summarised(grouped(await tables[table](), by, value))

    @tool(category="data", effect=EffectClass.LOCAL, in_process=True)
    async def correlate_columns(
        table: str, x: Column, y: Column, method: Literal["pearson", "spearman"] = "pearson"
    ) -> Correlation:
        """Correlate two numeric columns of a table."""
        xs, ys = pairs(await tables[table](), x, y)
        return correlation(xs, ys, method)

    @tool(category="data", effect=EffectClass.LOCAL, in_process=True)
    async def fit_columns(
        table: str,
        x: Column,
        y: Column,
        model: Literal["line", "polynomial"] | CurveName = "line",
        degree: Annotated[int, Field(ge=1, le=6, description="Of a polynomial.")] = 2,
    ) -> Fit:
        """Fit a line, a polynomial or a named curve to two columns of a table, with uncertainties."""
        xs, ys = pairs(await tables[table](), x, y)
        if model == "line":
            return fit_line(xs, ys)
        return fit_polynomial(xs, ys, degree) if model == "polynomial" else fit_curve(xs, ys, model)

    made = (describe_dataset, filter_rows, group_rows, correlate_columns, fit_columns)
    return [offering(tool_of(function), list(tables)) for function in made]


def offering(made: Tool, names: list[str]) -> Tool:
    """Return the tool with the tables' names as the choices of its field ``table``."""
    fields = {
        **made.spec.input_schema["properties"],
        "table": {"type": "string", "title": "Table", "enum": names},
    }
    schema = {**made.spec.input_schema, "properties": fields}
    return replace(made, spec=made.spec.model_copy(update={"input_schema": schema}))


def _chosen(
    rows: list[Row],
    where: list[Where],
    columns: list[str] | None,
    order_by: str | None,
    descending: bool,
    limit: int,
) -> Rows:
    found = [row for row in rows if all(holds(row, w.column, w.op, w.value) for w in where)]
    if order_by:
        filled = [row for row in found if row.get(order_by) is not None]
        # Numbers before text, so that a mixed column can be ordered at all.
        filled.sort(key=lambda row: (isinstance(row[order_by], str), row[order_by]), reverse=descending)
        found = filled + [row for row in found if row.get(order_by) is None]
    shown = [{name: row.get(name) for name in columns or row} for row in found[:limit]]
    return Rows(matched=len(found), rows=shown)


def _summarised(groups: list[tuple[Row, list[float]]]) -> Groups:
    made = [
        Group(
            group=key,
            n=len(values),
            mean=statistics.fmean(values),
            sd=statistics.stdev(values) if len(values) > 1 else None,
            low=min(values),
            high=max(values),
        )
        for key, values in groups
    ]
    samples = [values for _, values in groups if len(values) > 1]
    try:
        tested = anova(samples) if len(samples) > 1 else None
    except BadInput:  # no spread within the groups: nothing to test against
        tested = None
    return Groups(groups=made[:50], anova=tested)
