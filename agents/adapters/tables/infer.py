"""A first proposal of the space, from a table: the researcher corrects it."""

from agents.adapters.tables.cells import Cell
from agents.adapters.tables.table import Column, Table
from agents.core.science import Parameter, Space

MAX_LEVELS = 12
MAX_CHOICES = 80
_IDS = frozenset(
    [
        "entry",
        "id",
        "index",
        "no",
        "no.",
        "nr",
        "number",
        "run",
        "exp",
        "experiment",
        "sample",
        "row",
        "date",
        "time_stamp",
        "timestamp",
        "operator",
        "note",
        "notes",
        "comment",
        "comments",
        "remark",
        "remarks",
        "#",
        "序号",
        "编号",
        "试验号",
        "实验号",
        "样品",
        "备注",
        "日期",
        "操作者",
    ]
)
_MIXTURE_TOLERANCE = 1e-3


def infer_space(table: Table, objectives: list[str]) -> Space:
    """Return a parameter for each column that varies and is no objective, no row number and no free text.

    Few repeated numbers become levels, other numbers a range, repeated words choices, and fractions that add
    up to 1 in every row a mixture. Names are the titles without units.
    """
    wanted = {name.strip().casefold() for name in objectives}
    columns = [
        (column, [row[index] for row in table.rows])
        for index, column in enumerate(table.columns)
        if not {column.name.casefold(), column.label.casefold()} & wanted and not _is_id(column, table, index)
    ]
    mixture = _mixture([(column, cells) for column, cells in columns])
    parameters = [_parameter(column, cells, is_part=column.name in mixture) for column, cells in columns]
    named: dict[str, Parameter] = {}
    for parameter in parameters:
        if parameter is not None:
            named.setdefault(parameter.name, parameter)
    return Space(parameters=list(named.values()))


def _is_id(column: Column, table: Table, index: int) -> bool:
    if column.label.strip().casefold() in _IDS:
        return True
    cells = [row[index] for row in table.rows]
    counted = [list(range(start, start + len(cells))) for start in (0, 1)]
    return len(cells) > 2 and cells in counted


def _mixture(columns: list[tuple[Column, list[Cell]]]) -> set[str]:
    """Return the columns of fractions whose rows all add up to 1; at least two, else none."""
    parts = [
        (column.name, [float(cell) for cell in cells if isinstance(cell, int | float)])
        for column, cells in columns
        if column.kind == "number" and all(isinstance(cell, int | float) and 0 <= cell <= 1 for cell in cells)
    ]
    if len(parts) < 2:
        return set()
    sums = [sum(values) for values in zip(*(values for _, values in parts), strict=True)]
    is_whole = bool(sums) and all(abs(total - 1) <= _MIXTURE_TOLERANCE for total in sums)
    return {name for name, _ in parts} if is_whole else set()


def _parameter(column: Column, cells: list[Cell], *, is_part: bool) -> Parameter | None:
    name, unit = column.label.strip()[:80], column.unit
    numbers = sorted({float(cell) for cell in cells if isinstance(cell, int | float)})
    if is_part and numbers[0] < numbers[-1]:
        return Parameter(name=name, unit=unit, kind="mixture", low=0.0, high=1.0)
    if column.kind == "number":
        if len(numbers) < 2:
            return None
        if len(numbers) <= MAX_LEVELS and len(cells) >= 2 * len(numbers):
            return Parameter(name=name, unit=unit, kind="ordered", levels=list(numbers))
        whole = all(number.is_integer() for number in numbers)
        return Parameter(
            name=name, unit=unit, kind="integer" if whole else "continuous", low=numbers[0], high=numbers[-1]
        )
    choices = list(dict.fromkeys(str(cell) for cell in cells if cell is not None))
    is_repeated = len(choices) <= MAX_CHOICES and len(cells) >= 1.5 * len(choices)
    if len(choices) < 2 or not is_repeated:
        return None
    return Parameter(name=name, kind="categorical", levels=list(choices))
