"""CSV, TSV and their relatives to a ``Table``, with every fault named by row and column."""

import csv
import io
from collections import Counter
from pathlib import Path

from agents.adapters.documents.decoding import decode, holds_binary
from agents.adapters.tables.cells import Cell, parse_number, uses_decimal_comma
from agents.adapters.tables.columns import typed_columns
from agents.adapters.tables.prose import is_prose
from agents.adapters.tables.table import Problem, Table
from agents.core.errors import BadInput

MAX_BYTES = 20_000_000
MAX_ROWS = 200_000
MAX_COLUMNS = 500
_DELIMITERS = (",", ";", "\t", "|")
_BINARY = {
    b"PK\x03\x04": "a spreadsheet or zip file",
    b"\xd0\xcf\x11\xe0": "an old Office file",
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
    b"\x1f\x8b": "a compressed file",
}


def read_table(path: Path, *, name: str = "", max_bytes: int = MAX_BYTES, max_rows: int = MAX_ROWS) -> Table:
    """Return the table in ``path``; ``name`` is what people call the file.

    Separator, encoding, decimal comma and a missing header are recognised. Raises ``BadInput`` for a
    file that is empty, too large, not text, or has no rows; lesser faults are listed in ``problems``.
    """
    name = name or path.name
    text, encoding = _text_of(path, name, max_bytes)
    delimiter = _delimiter_of(text)
    records = _records(text, delimiter, name, max_rows)
    if is_prose([row for _, row in records]):
        raise BadInput(
            f"{name} is running text, not a table: no row below the first holds a number, and the rows do not fall "
            "into columns. Send a CSV file with one title a column and one experiment a row; add texts as documents."
        )
    header, body, problems = _split_header(records, name)
    body, ragged = _squared(body, header)
    decimal = (
        "," if delimiter != "," and uses_decimal_comma([cell for _, row in body for cell in row]) else "."
    )
    columns, rows, faults = typed_columns(header, body, decimal=decimal)
    numbers = [number for number, _ in body]
    problems += ragged + faults + _duplicates(rows, numbers)
    return Table(name, columns, rows, numbers, problems, encoding, delimiter, decimal)


def _text_of(path: Path, name: str, max_bytes: int) -> tuple[str, str]:
    size = path.stat().st_size
    if size > max_bytes:
        raise BadInput(
            f"{name} has {size / 1e6:.0f} MB; a table may have at most {max_bytes / 1e6:.0f} MB. "
            "Keep the columns and rows that the study needs and send it again."
        )
    data = path.read_bytes()
    for magic, what in _BINARY.items():
        if data.startswith(magic):
            raise BadInput(f"{name} is {what}, not a text table. Save it as CSV and send that.")
    if not data.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        raise BadInput(f"{name} is empty. Send a CSV file with a header row and at least one row of values.")
    if holds_binary(data):
        raise BadInput(
            f"{name} holds binary data, not a text table. Open it in its program and save it as CSV."
        )
    decoded = decode(data)
    return decoded.text, decoded.encoding


def _delimiter_of(text: str) -> str:
    """Return the separator that cuts most of the first lines into the same number of parts, above one."""
    lines = [line for line in text.split("\n", 60)[:60] if line.strip()]
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        width, votes = max(widths.items(), key=lambda item: (item[0] > 1, item[1]))
        score = (votes / len(lines) if width > 1 else 0.0, width)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _records(text: str, delimiter: str, name: str, max_rows: int) -> list[tuple[int, list[str]]]:
    records: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for number, row in enumerate(reader, start=1):
            if any(cell.strip() for cell in row):
                records.append((number, [cell.strip() for cell in row]))
            if len(records) > max_rows + 1:
                raise BadInput(f"{name} has more than {max_rows:,} rows. Send the rows that the study needs.")
    except csv.Error as error:
        raise BadInput(f"{name} cannot be read as a table near row {len(records) + 1}: {error}.") from error
    return records


def _split_header(
    records: list[tuple[int, list[str]]], name: str
) -> tuple[list[str], list[tuple[int, list[str]]], list[Problem]]:
    first_number, first = records[0]
    if len(first) > MAX_COLUMNS:
        raise BadInput(f"{name} has {len(first)} columns; at most {MAX_COLUMNS} are read.")
    if _is_data(first, records[1:]):
        header = [f"column {index}" for index in range(1, len(first) + 1)]
        message = (
            "The first row already holds values, so the columns are numbered. Add a header row to name them."
        )
        return header, records, [Problem(kind="header", message=message, row=first_number)]
    if len(records) == 1:
        raise BadInput(f"{name} has a header row and no rows of values.")
    header, problems = _distinct(first, first_number)
    body = []
    for number, row in records[1:]:
        if row == first:
            message = f"Row {number} repeats the header and was left out."
            problems.append(Problem(kind="header", message=message, row=number))
        else:
            body.append((number, row))
    return header, body, problems


def _is_data(first: list[str], rest: list[tuple[int, list[str]]]) -> bool:
    """The first row is data when it has a number above which no title stands: the column goes on in numbers."""
    if not rest or not all(first):
        return False
    numeric = [index for index, cell in enumerate(first) if parse_number(cell) is not None]
    below = rest[0][1]
    goes_on = [index for index in numeric if index < len(below) and parse_number(below[index]) is not None]
    others = [cell for index, cell in enumerate(first) if index not in numeric]
    seen_below = {cell for _, row in rest for cell in row}
    return bool(goes_on) and all(cell in seen_below for cell in others)


def _distinct(header: list[str], row: int) -> tuple[list[str], list[Problem]]:
    names: list[str] = []
    problems = []
    for index, cell in enumerate(header, start=1):
        name = cell or f"column {index}"
        if name in names:
            message = (
                f"Two columns are called {name!r}; the one in place {index} is read as {name!r} {index}."
            )
            problems.append(Problem(kind="header", message=message, row=row, column=name))
            name = f"{name} {index}"
        names.append(name)
    return names, problems


def _squared(
    body: list[tuple[int, list[str]]], header: list[str]
) -> tuple[list[tuple[int, list[str]]], list[Problem]]:
    """Give every row one cell a column; cut what is past the last one."""
    width = len(header)
    problems = []
    squared = []
    for number, row in body:
        extra = [cell for cell in row[width:] if cell]
        if extra or len(row) < width:
            message = f"Row {number} has {len(row)} cells where the header has {width}."
            problems.append(Problem(kind="ragged", message=message, row=number))
        squared.append((number, (row + [""] * width)[:width]))
    return squared, problems


def _duplicates(rows: list[list[Cell]], numbers: list[int]) -> list[Problem]:
    first_seen: dict[tuple[object, ...], int] = {}
    problems = []
    for row, number in zip(rows, numbers, strict=True):
        key = tuple(row)
        if key in first_seen:
            message = f"Row {number} is the same as row {first_seen[key]} in every column."
            problems.append(Problem(kind="duplicate", message=message, row=number))
        else:
            first_seen[key] = number
    return problems
