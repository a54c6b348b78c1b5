"""Printed results from tables: a run with its conditions and responses, or whole rows of numbers."""

import re
from typing import Any

from agents.core.digest import DigestItem
from agents.core.science import Parameter
from agents.core.words import words
from agents.reasoners.extractive.factors import is_level
from agents.reasoners.extractive.grids import Grid, Title, number_in, quote_for, table_name
from agents.reasoners.extractive.reading import Reading, tidy
from agents.reasoners.extractive.series import Series, series_of

MAX_ROWS_APART = 60
MAX_PLAIN_ROWS = 12
MAX_SHOWN = 12

_RUN = re.compile(
    r"(?:run|exp(?:eriment|t)?s?|trial|test|no|entry|sample|#|std|order|序号|编号|试验号|实验号|样品|次数)\.?\s*(?:no|number|order|号)?\.?",
    re.IGNORECASE,
)
_LEGEND = re.compile(r"(?<![A-Za-z])(?P<symbol>[A-Z])\s*[:：=]\s*(?P<name>[^;:；：.=]{3,80}?)\s*(?=[;；.]|$)")


def results_of(grid: Grid, factors: list[tuple[Parameter, str]], reading: Reading) -> list[DigestItem]:
    """Return one item a row when the table holds runs or is short, else one item for the whole table.

    ``factors`` are the parameters known so far, each with its symbol in the document.
    """
    places = _factor_places(grid, factors)
    if grid.titles and (places or len(grid.body) <= MAX_PLAIN_ROWS):
        legend = _legend(reading, grid.table.page)
        rows = [_row_item(row, grid, places, legend, reading) for row in grid.body[:MAX_ROWS_APART]]
        return [item for item in rows if item is not None]
    return _whole_table(grid, reading)


def _factor_places(grid: Grid, factors: list[tuple[Parameter, str]]) -> dict[int, Parameter]:
    """Return the parameter that each column sets."""
    places: dict[int, Parameter] = {}
    for index, title in enumerate(grid.titles):
        spellings = {text.casefold() for text in (title.label, title.symbol, title.printed) if text}
        for parameter, symbol in factors:
            names = {parameter.name.casefold(), parameter.label.casefold(), symbol.casefold()} - {""}
            if spellings & names:
                places.setdefault(index, parameter)
    for index, title in enumerate(grid.titles):
        alike = [p for p, _ in factors if p not in places.values() and _is_shortened(title, p)]
        if index not in places and len(alike) == 1 and _in_range(grid, index, alike[0]):
            places[index] = alike[0]
    return places


def _is_shortened(title: Title, parameter: Parameter) -> bool:
    """True when a title says the beginning of the parameter's name, in its unit: ``H2O2 (mM)``."""
    short, whole = words(title.label), words(parameter.label or parameter.name)
    return bool(short) and title.unit == parameter.unit and whole[: len(short)] == short


def _in_range(grid: Grid, index: int, parameter: Parameter) -> bool:
    """True when every number of the column could be a setting of the parameter."""
    levels = [level for level in parameter.levels if isinstance(level, int | float)]
    low = parameter.low if parameter.low is not None else min(levels, default=None)
    high = parameter.high if parameter.high is not None else max(levels, default=None)
    numbers = [value for row in grid.body if (value := number_in(row[index])) is not None]
    return (
        low is not None and high is not None and bool(numbers) and low <= min(numbers) <= max(numbers) <= high
    )


def _legend(reading: Reading, page: int) -> dict[str, str]:
    """Return what the letters over the columns stand for (``A: Essential oil yield; B: …``)."""
    text = tidy(reading.page_text(page), reading.words)
    return {match["symbol"]: match["name"].strip() for match in _LEGEND.finditer(text)}


def _row_item(
    row: list[str], grid: Grid, places: dict[int, Parameter], legend: dict[str, str], reading: Reading
) -> DigestItem | None:
    if is_level(row[0]) and re.search(r"level|水平", row[0], re.IGNORECASE):
        return None
    conditions, responses, name = _parts(row, grid, places, legend)
    if not responses:
        return None
    first = responses[0]
    where = f"{table_name(grid.table)}, {name}" if name else table_name(grid.table)
    said = "; ".join(f"{r['name']} {r['value']:g} {r['unit']}".strip() for r in responses[:MAX_SHOWN])
    at = ", ".join(f"{key} {shown(value)}" for key, value in conditions.items())
    data: dict[str, Any] = {
        **first,
        "conditions": conditions,
        "table": table_name(grid.table),
        "row": name,
        "responses": responses,
    }
    text = f"{where}: {said}" + (f" at {at}" if at else "")
    return reading.item(
        "result", text, page=grid.table.page, quote=quote_for(reading, grid.table, [row]), data=data
    )


def shown(level: Any) -> str:
    """Return a level for people: 3, not 3.0."""
    return f"{level:g}" if isinstance(level, int | float) else str(level)


def _parts(
    row: list[str], grid: Grid, places: dict[int, Parameter], legend: dict[str, str]
) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """Return conditions, responses and the row's own name."""
    conditions: dict[str, Any] = {}
    responses: list[dict[str, Any]] = []
    name = ""
    for index, (title, cell) in enumerate(zip(grid.titles, row, strict=True)):
        if index in places:
            conditions[places[index].name] = decoded(cell, places[index])
            continue
        value = number_in(cell)
        if index == 0 and (value is None or _RUN.fullmatch(title.label)):
            name = f"{title.label} {cell}".strip() if value is not None else cell
        elif value is not None:
            responses.append({"name": _response_name(title, legend), "value": value, "unit": title.unit})
        elif cell.strip(" –—-") and index not in places and not responses:
            conditions[title.label or f"column {index + 1}"] = cell
    return conditions, responses, name


def _response_name(title: Title, legend: dict[str, str]) -> str:
    meaning = legend.get(title.symbol, "") or legend.get(title.label, "")
    if meaning and title.label and title.label != title.symbol and title.label not in legend:
        return f"{meaning}, {title.label[0].lower()}{title.label[1:]}"
    return meaning or title.label or title.symbol


def decoded(cell: str, parameter: Parameter) -> Any:
    """Return the level that a cell sets: coded −1, 0, +1 and level numbers are translated, values stay."""
    value = number_in(cell)
    levels = parameter.levels
    if value is None or not levels:
        return next(
            (level for level in levels if str(level).casefold() == cell.strip().casefold()), cell.strip()
        )
    if value in levels:
        return value
    coded = (
        {-1.0: 0, 1.0: -1}
        if len(levels) == 2
        else {-1.0: 0, 0.0: len(levels) // 2, 1.0: -1}
        if len(levels) % 2
        else {}
    )
    is_coded = bool(re.match(r"\s*\(?\s*[+\-−–]", cell)) or value == 0
    if is_coded and value in coded:
        return levels[coded[value]]
    if value.is_integer() and 1 <= value <= len(levels):
        return levels[int(value) - 1]
    return value


def _whole_table(grid: Grid, reading: Reading) -> list[DigestItem]:
    series = [known for known in series_of(grid, reading) if known.numbers]
    if not series:
        return []
    quote = quote_for(reading, grid.table, grid.body)
    name = table_name(grid.table)
    last = series[-1]
    data: dict[str, Any] = {
        "name": last.title.label,
        "value": last.numbers[0] if len(last.numbers) == 1 else None,
        "unit": last.title.unit,
        "conditions": {},
        "table": name,
        "series": [{"name": s.title.label, "unit": s.title.unit, "values": s.values} for s in series],
        "labels": [row[0] for row in grid.body] if grid.titles else [],
    }
    return [reading.item("result", f"{name}: {_told(series)}", page=grid.table.page, quote=quote, data=data)]


def _told(series: list[Series]) -> str:
    if len(series) > 4 or any(len(known.cells) > MAX_SHOWN for known in series):
        longest = max(len(known.cells) for known in series)
        return f"{len(series)} rows or columns of {longest} numbers: {', '.join(s.title.label for s in series[:8])}"
    return "; ".join(f"{_head(s.title)} {', '.join(s.cells)}" for s in series)


def _head(title: Title) -> str:
    return f"{title.label} ({title.unit})" if title.unit else title.label
