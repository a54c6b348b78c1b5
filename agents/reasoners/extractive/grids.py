"""Printed tables understood: which row is the header, what a title says, how a row can be quoted."""

import re
from dataclasses import dataclass, replace

from agents.core.digest import PrintedTable
from agents.core.quantities import find_quantities, parse_value
from agents.core.quotes import find_quote
from agents.core.unit_text import UNIT, plain_unit, split_title
from agents.reasoners.extractive.reading import Reading

MAX_QUOTE = 420

_SYMBOL = re.compile(r"[A-Za-zα-ωΑ-Ω][a-z]?[₀-₉\d]{0,2}")
_UNIT_INSIDE = re.compile(rf"^(?P<label>.+?)\s*[(\[（]\s*(?P<unit>{UNIT})\s*[)\]）]\s*(?P<symbol>\S{{0,4}})$")
_SYMBOL_FIRST = re.compile(
    r"^(?P<symbol>[A-Za-z]\d{0,2})(?:\s*[:：=–-]\s*|\s*(?=[\u4e00-\u9fff]))(?P<label>\S.+)$"
)
_SYMBOL_LAST = re.compile(
    r"^(?P<label>\S.*?[a-z\u4e00-\u9fff)])[\s,，]+\(?(?P<symbol>[A-Z]\d{1,2}|[A-Z]|[a-z]\d|[a-zA-Zα-ω][a-zA-Z]?)\)?$"
)
_NUMBER = re.compile(
    r"[<>≤≥~≈±]?\s*\(?\s*[+\-−–]?\s*\d[\d.,]*\s*(?:[×x·]\s*10\s*[-−^]*\s*\d+)?\)?\s*(?:[±(]\s*[\d.]+\)?)?\s*[*a-e†‡]{0,2}"
)


@dataclass(frozen=True)
class Title:
    """A column's or row's title in its parts."""

    printed: str
    label: str
    unit: str = ""
    symbol: str = ""


@dataclass(frozen=True)
class Grid:
    """A table with its header apart; ``titles`` is empty when no row is one."""

    table: PrintedTable
    titles: list[Title]
    body: list[list[str]]


def grid_of(table: PrintedTable, reading: Reading) -> Grid:
    """Return ``table`` with up to two header rows merged and each title taken apart."""
    rows = table.rows
    depth = 0
    while depth < min(3, len(rows) - 1) and _is_header(rows[depth], rows[depth + 1 :]):
        depth += 1
    header = [_merged([row[index] for row in rows[:depth]]) for index in range(len(rows[0]))] if depth else []
    return Grid(table, _shared_unit([title_of(cell, reading) for cell in header]), rows[depth:])


def _shared_unit(titles: list[Title]) -> list[Title]:
    """A unit in the corner (``Mass fraction in %``) holds for every column without one."""
    corner = re.search(rf"(?:\bin|\bof|[(/（])\s*({UNIT})\s*[)）]?$", titles[0].printed) if titles else None
    if corner is None or any(title.unit for title in titles[1:]):
        return titles
    unit = plain_unit(corner[1])
    return [titles[0], *(replace(title, unit=unit) for title in titles[1:])]


def _is_header(row: list[str], below: list[list[str]]) -> bool:
    filled = [cell for cell in row[1:] if cell.strip()]
    if not filled:
        return True
    codes = bool(_NAMES.search(row[0]))
    numeric = sum(is_number(cell) and not (codes and _CODED.fullmatch(cell.strip())) for cell in filled)
    if numeric > 0.4 * len(filled):
        return False
    # a column of words has words in its header and below: the row is a header when numbers follow under it
    return any(is_number(cell) for later in below[:3] for cell in later) or _has_title_words(row)


_NAMES = re.compile(r"factor|variable|parameter|symbol|name|因素|参数|变量|名称", re.IGNORECASE)
_CODED = re.compile(r"\(?\s*[+\-−–]?\s*(?:[0-5]|1\.682?|1\.414?|α)\s*\)?")
_TITLE_WORDS = re.compile(
    r"factor|variable|parameter|level|unit|low|high|min|max|range|run|exp|no\.?|response|yield|symbol|value|kind|type|option|name"
    r"|因素|参数|变量|水平|单位|范围|取值|编号|序号|代号|名称|类型|结果",
    re.IGNORECASE,
)


def _has_title_words(row: list[str]) -> bool:
    return sum(bool(_TITLE_WORDS.search(cell)) for cell in row) >= 2


def _merged(cells: list[str]) -> str:
    return " ".join(dict.fromkeys(cell.strip() for cell in cells if cell.strip()))


def is_number(cell: str) -> bool:
    """Return True for a number as tables print it, with bound, uncertainty, footnote mark or unit; and for a dash."""
    text = cell.strip()
    if not text or text in "–—-":
        return bool(text)
    if _NUMBER.fullmatch(text):
        return True
    quantities = find_quantities(text)
    return len(quantities) == 1 and quantities[0].start <= 1 and quantities[0].end == len(text)


def number_in(cell: str) -> float | None:
    """Return the number of a cell without its bound, uncertainty or footnote mark; None for text and dashes."""
    text = re.sub(r"^[~≈]\s*", "", cell.strip())
    text = re.sub(r"\s*(?:±\s*[\d.]+|\([\d.]+\)|[*†‡a-e]{1,2})$", "", text)
    value = parse_value(text.strip("()"))
    if value is not None:
        return value
    quantities = find_quantities(text)
    return (
        quantities[0].value if len(quantities) == 1 and is_number(text) and text[:1] not in "<>≤≥" else None
    )


def title_of(printed: str, reading: Reading) -> Title:
    """Return label, unit and symbol of ``Extraction duration (hr) X1``, ``X1: Time, h`` or ``温度 t(℃)``."""
    text = " ".join(printed.split())
    symbol = unit = ""
    first = _SYMBOL_FIRST.match(text)
    if first:
        symbol, text = first["symbol"], first["label"]
    inside = _UNIT_INSIDE.match(text)
    if inside and (not inside["symbol"] or _SYMBOL.fullmatch(inside["symbol"])):
        text, unit, symbol = inside["label"], plain_unit(inside["unit"]), symbol or inside["symbol"]
    else:
        text, unit = split_title(text)
    last = _SYMBOL_LAST.match(text)
    if last and not symbol:
        text, symbol = last["label"], last["symbol"]
    return Title(printed, _without_mark(text.strip(" :：,，/／"), reading), unit, symbol)


def _without_mark(label: str, reading: Reading) -> str:
    """Drop a footnote letter that the printer set behind the last word (``contenta``)."""
    match = re.search(r"([A-Za-z]{4,})[a-e*†‡]$", label)
    if match is None:
        return label
    word, plain = label[match.start() :].casefold(), match[1].casefold()
    is_mark = not label[-1].isalpha() or (plain in reading.words and word not in _ordinary(reading, word))
    return label[:-1] if is_mark else label


def _ordinary(reading: Reading, word: str) -> frozenset[str]:
    """Return ``word`` in a set when the document uses it more than twice: then it is a word of its own."""
    times = sum(
        len(re.findall(rf"\b{re.escape(word)}\b", page.text, re.I)) for page in reading.document.pages
    )
    return frozenset([word]) if times > 2 else frozenset()


def quote_for(reading: Reading, table: PrintedTable, rows: list[list[str]]) -> str:
    """Return the longest text of ``rows`` that the page prints in one piece: all, the first row, a cell, the caption."""
    texts = [
        _text(rows),
        *(_text([row]) for row in rows[:3]),
        *(cell for row in rows[:1] for cell in row),
        table.caption,
    ]
    page = reading.page_text(table.page)
    return next(
        (text for text in texts if 1 < len(text) <= MAX_QUOTE and find_quote(text, page)),
        texts[0][:MAX_QUOTE],
    )


def _text(rows: list[list[str]]) -> str:
    return " ".join(cell for row in rows for cell in row if cell.strip())


def table_name(table: PrintedTable) -> str:
    """Return ``Table 4`` or ``表 1``, or a name by page when nothing labels the table."""
    match = re.match(r"\s*(TABLE|Table|表)\s*([A-Z]?\d+|[IVX]+)", table.caption)
    if match is None:
        return f"table on page {table.page}"
    return f"表 {match[2]}" if match[1] == "表" else f"Table {match[2]}"
