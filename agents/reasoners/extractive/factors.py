"""Parameters with their levels, from the tables that list them."""

import re
from typing import Any

from pydantic import ValidationError

from agents.core.digest import DigestItem
from agents.core.quantities import find_quantities, parse_value
from agents.core.science import Parameter
from agents.reasoners.extractive.grids import Grid, Title, quote_for, table_name, title_of
from agents.reasoners.extractive.reading import Reading

_CODE = r"\(?\s*[+\-−–]?\s*(?:1\.682|1\.68|1\.414|1\.41|[0-3]|α)\s*\)?"
_LEVEL = re.compile(
    rf"(?:levels?|水平)?\s*(?:low(?:er|est)?|high(?:er|est)?|mid(?:dle)?|medium|cent(?:re|er)|base|min(?:imum)?|max(?:imum)?|低|中|高|上限|下限)?"
    rf"(?:\s*levels?|\s*水平|\s*limit|\s*bound)?\s*(?:{_CODE})?",
    re.IGNORECASE,
)
_LEVELS_TITLE = re.compile(r"levels?|水平(?:数|编号)?|coded(?: levels?| values?)?|code", re.IGNORECASE)
_NAMES = re.compile(
    r"factors?|parameters?|variables?|names?|conditions?|independent variables?|因素|参数|变量|名称|条件",
    re.IGNORECASE,
)
_UNITS = re.compile(r"units?|单位", re.IGNORECASE)
_SYMBOLS = re.compile(r"symbols?|codes?|coded|代号|符号|编码", re.IGNORECASE)
_LISTS = re.compile(
    r"levels?|values?|options?|ranges?|settings?|choices?|levels? tested|取值|水平|范围|选项|取值范围",
    re.IGNORECASE,
)
_LOW = re.compile(r"min(?:imum)?\.?|low(?:er)?(?: limit| bound)?|from|下限|最小值?", re.IGNORECASE)
_HIGH = re.compile(
    r"max(?:imum)?\.?|upper(?: limit| bound)?|high(?:er)?(?: limit| bound)?|to|上限|最大值?", re.IGNORECASE
)
_RANGE = re.compile(r"(?P<low>[^–—~∼～至到]+?)\s*(?:[–—~∼～]|-(?=\s*\d)|\bto\b|至|到)\s*(?P<high>\S.*)")


def factors_of(grid: Grid, reading: Reading) -> list[DigestItem]:
    """Return one parameter item for each factor that ``grid`` lists with two or more levels, or with a range."""
    if not grid.titles:
        return []
    return _levels_as_rows(grid, reading) or _factors_as_rows(grid, reading)


def lists_factors(grid: Grid, reading: Reading) -> bool:
    """Return True when the table only lists factors, so that none of its rows is a result."""
    if not grid.titles:
        return False
    if all(is_level(row[0]) for row in grid.body) and _levels_as_rows(grid, reading):
        return True
    return bool(_factors_as_rows(grid, reading))


def is_level(cell: str) -> bool:
    """Return True for a name of a level: ``Low (−1)``, ``Level +1``, ``−1``, ``高``."""
    text = cell.strip()
    return bool(text) and bool(_LEVEL.fullmatch(text))


def _levels_as_rows(grid: Grid, reading: Reading) -> list[DigestItem]:
    rows = [row for row in grid.body if is_level(row[0])]
    names_levels = bool(_LEVELS_TITLE.fullmatch(grid.titles[0].label.strip()))
    spelled = [row for row in rows if re.search(r"[A-Za-z\u4e00-\u9fff]", row[0])]
    rows = rows if names_levels else spelled
    if len(rows) < 2:
        return []
    quote = quote_for(reading, grid.table, [[title.printed for title in grid.titles], *rows])
    items = []
    for index, title in enumerate(grid.titles[1:], start=1):
        cells = [row[index] for row in rows]
        parameter = parameter_from(title, cells)
        if parameter is not None:
            codes = ", ".join(row[0] for row in rows)
            items.append(factor_item(reading, grid, parameter, title, quote, f"Levels: {codes}"))
    return items


def _factors_as_rows(grid: Grid, reading: Reading) -> list[DigestItem]:
    labels = [title.label.strip() for title in grid.titles]
    level_columns = [i for i, title in enumerate(grid.titles) if i and _is_level_title(title)]
    list_columns = [i for i, label in enumerate(labels) if i and _LISTS.fullmatch(label)]
    bounds = _pair(labels)
    columns = list(bounds) if bounds else level_columns if len(level_columns) >= 2 else list_columns[:1]
    if not columns:
        return []
    items = []
    place = {
        name: _first(labels, pattern)
        for name, pattern in (("name", _NAMES), ("unit", _UNITS), ("symbol", _SYMBOLS))
    }
    for row in grid.body:
        title = _row_title(row, place, grid, reading, columns)
        parameter = parameter_from(title, [row[i] for i in columns], is_range=bounds is not None)
        if parameter is not None:
            items.append(
                factor_item(reading, grid, parameter, title, quote_for(reading, grid.table, [row]), "")
            )
    return items


def _is_level_title(title: Title) -> bool:
    return is_level(title.printed) or is_level(title.label)


def _pair(labels: list[str]) -> tuple[int, int] | None:
    """Return the columns of the lower and the upper bound, when the table has both and no level between."""
    low, high = _first(labels, _LOW), _first(labels, _HIGH)
    is_only = sum(is_level(label) for label in labels[1:] if label) <= 2
    return (
        (low, high)
        if low is not None
        and high is not None
        and is_only
        and re.match(r"min|max|下限|最小|from|lower", labels[low], re.I)
        else None
    )


def _first(labels: list[str], pattern: re.Pattern[str]) -> int | None:
    return next((index for index, label in enumerate(labels) if pattern.fullmatch(label)), None)


def _row_title(
    row: list[str], place: dict[str, int | None], grid: Grid, reading: Reading, columns: list[int]
) -> Title:
    name = place["name"]
    name = name if name is not None and name not in columns else 0
    title = title_of(row[name], reading)
    unit, symbol = place["unit"], place["symbol"]
    return Title(
        printed=row[name],
        label=title.label,
        unit=title.unit or (row[unit] if unit is not None else "") or grid.titles[columns[0]].unit,
        symbol=title.symbol or (row[symbol] if symbol is not None and symbol != name else ""),
    )


def parameter_from(title: Title, cells: list[str], *, is_range: bool = False) -> Parameter | None:
    """Return a parameter with the levels that ``cells`` print, or None when they are no two levels."""
    label = title.label.strip(" .:：") or title.symbol
    if not label or len(label) > 80 or parse_value(label) is not None:
        return None
    texts = [cell.strip() for cell in cells if cell.strip() and cell.strip() not in "–—-"]
    if len(texts) == 1:
        texts, is_range = _spread(texts[0])
    unit = title.unit or _common_unit(texts)
    numbers = [_number(text, unit) for text in texts]
    data: dict[str, Any] = {"name": plain_name(label), "label": label, "unit": unit}
    if all(number is not None for number in numbers):
        values = sorted({number for number in numbers if number is not None})
        if len(values) < 2:
            return None
        kind = (
            {"kind": "continuous", "low": values[0], "high": values[-1]}
            if is_range
            else {"kind": "ordered", "levels": values}
        )
        data |= kind
    else:
        levels = list(dict.fromkeys(texts))
        if len(levels) < 2 or any(len(level) > 60 for level in levels):
            return None
        data |= {"kind": "categorical", "levels": levels}
    try:
        return Parameter.model_validate(data)
    except ValidationError:
        return None


def plain_name(label: str) -> str:
    """Return the label in small letters, but for words with capitals inside (``pH``)."""
    return " ".join(word.lower() if word[1:] == word[1:].lower() else word for word in label.split())


def _spread(text: str) -> tuple[list[str], bool]:
    """Return the levels that one cell lists (``60, 70, 80``), or the ends of the range that it prints."""
    parts = [
        part.strip()
        for part in re.split(r"\s*[,，、;；/]\s*(?!\d{3}\b)|\s+(?:and|or)\s+|和|或", text)
        if part.strip()
    ]
    if len(parts) >= 2:
        return parts, False
    match = _RANGE.fullmatch(text)
    if match and _number(match["low"], "") is not None and _number(match["high"], "") is not None:
        return [match["low"], match["high"]], True
    return parts, False


def _common_unit(texts: list[str]) -> str:
    found = [find_quantities(text) for text in texts]
    units = {quantities[0].unit for quantities in found if len(quantities) == 1}
    return units.pop() if len(units) == 1 else ""


def _number(text: str, unit: str) -> float | None:
    value = parse_value(text.strip())
    if value is not None:
        return value
    found = find_quantities(text)
    is_whole = (
        len(found) == 1
        and found[0].start == 0
        and found[0].end >= len(text.rstrip(" ."))
        and found[0].high is None
    )
    return found[0].value if is_whole and (not unit or found[0].unit == unit) else None


def factor_item(
    reading: Reading, grid: Grid, parameter: Parameter, title: Title, quote: str, note: str
) -> DigestItem:
    """Return the item of a parameter found in a table."""
    text = f"{parameter.title}: {describe_levels(parameter)} ({table_name(grid.table)})"
    symbol = f"{title.symbol} in the document. " if title.symbol else ""
    data = parameter.model_dump(mode="json")
    return reading.item(
        "parameter", text, page=grid.table.page, quote=quote, data=data, note=f"{symbol}{note}".strip()
    )


def describe_levels(parameter: Parameter) -> str:
    """Return the levels or the range in words."""
    if parameter.levels:
        return ", ".join(
            f"{level:g}" if isinstance(level, int | float) else level for level in parameter.levels
        )
    return f"{parameter.low:g} to {parameter.high:g}"
