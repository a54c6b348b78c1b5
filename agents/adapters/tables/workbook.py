"""XLSX workbooks as text tables. ``sheet_of`` runs in the reading child only; ``csv_of`` asks it."""

import csv
import io
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import PurePath
from typing import Any

from agents.adapters.documents.limits import ReadLimits
from agents.adapters.documents.supervise import ask_child
from agents.adapters.tables.read import MAX_COLUMNS, MAX_ROWS
from agents.core.errors import BadInput

BEGINNING = b"PK\x03\x04"
MAX_UNPACKED = 300_000_000
MAX_PARTS = 2_000
_SECONDS = 60.0
_MEMORY_MB = 1024
_Cells = tuple[Any, ...]


def csv_of(content: bytes, *, name: str, sheet: str = "") -> tuple[bytes, str]:
    """Return a sheet of the workbook ``content`` as CSV in UTF-8, and the name of a file that holds it.

    The first sheet with a filled cell is taken unless ``sheet`` names one; formulas count as the values they
    were saved with, and the rows keep their numbers. Raises ``BadInput`` for what is no XLSX workbook, is too
    large, or holds a formula without a value.
    """
    with tempfile.NamedTemporaryFile(suffix=".xlsx") as file:
        file.write(content)
        file.flush()
        request = {"do": "sheet", "path": file.name, "name": name, "sheet": sheet}
        limits = ReadLimits(seconds=_SECONDS, memory_mb=_MEMORY_MB)
        answer = ask_child(request, limits=limits)
    return answer["csv"].encode(), f"{PurePath(name).stem} ({answer['sheet']}).csv"


def sheet_of(data: bytes, *, name: str, sheet: str) -> dict[str, str]:
    """Return ``{"sheet", "csv"}`` of the workbook ``data``; see ``csv_of``."""
    _check_parts(data, name)
    import openpyxl

    try:
        values = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        formulas = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
        names = [each.title for each in values.worksheets]
        for wanted in _wanted(names, sheet, name):
            rows = _rows(values[wanted], formulas[wanted], f"{name}, sheet {wanted!r}")
            if rows:
                return {"sheet": wanted, "csv": _written(rows)}
    except BadInput:
        raise
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        SyntaxError,
        OSError,
        EOFError,
    ) as error:
        raise BadInput(f"{name} cannot be read as an XLSX workbook: {_said(error)}. Save it anew.") from error
    except zipfile.BadZipFile as error:
        raise BadInput(f"{name} is damaged: {_said(error)}. Save it anew and send that.") from error
    where = f"the sheet {sheet!r}" if sheet else f"none of its sheets ({', '.join(names)})"
    raise BadInput(f"{name}: {where} has a filled cell." if not sheet else f"{name}: {where} is empty.")


def _check_parts(data: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            parts = file.infolist()
    except zipfile.BadZipFile as error:
        raise BadInput(f"{name} is damaged: {_said(error)}. Save it anew and send that.") from error
    # What a part says of its size holds: the reader stops there.
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED or len(parts) > MAX_PARTS:
        raise BadInput(
            f"{name} unpacks to {unpacked / 1e6:,.0f} MB in {len(parts):,} parts, more than "
            f"{MAX_UNPACKED / 1e6:,.0f} MB or {MAX_PARTS:,}. Keep the sheet that the study needs and send that."
        )
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        raise BadInput(
            f"{name} is a zip file, not an XLSX workbook. Save the table as XLSX or CSV and send that."
        )


def _wanted(names: list[str], sheet: str, name: str) -> list[str]:
    if not sheet:
        return names
    if sheet not in names:
        raise BadInput(f"{name} has no sheet {sheet!r}; its sheets are: {', '.join(names)}.")
    return [sheet]


def _rows(values: Any, formulas: Any, where: str) -> list[list[str]]:
    """Return the rows as text up to the last that is filled; a row without a cell in between stays a row."""
    rows: list[list[str]] = []
    filled = 0
    unsaved: list[str] = []
    for number, (shown, written) in enumerate(_both(values, formulas), start=1):
        if number > MAX_ROWS + 1:
            raise BadInput(f"{where} has more than {MAX_ROWS:,} rows. Send the rows that the study needs.")
        cells = [_text(cell.value) for cell in shown]
        unsaved += [
            cell.coordinate
            for cell, text in zip(written, cells, strict=False)
            if getattr(cell, "data_type", "") == "f" and not text
        ]
        while cells and not cells[-1]:
            cells.pop()
        if len(cells) > MAX_COLUMNS:
            raise BadInput(
                f"{where} has {len(cells)} columns in row {number}; at most {MAX_COLUMNS} are read."
            )
        rows.append(cells)
        filled = number if cells else filled
    if unsaved:
        raise BadInput(
            f"{where}: formulas whose value was never saved: {len(unsaved)}, the first in {unsaved[0]}. Open the file in a spreadsheet program, save it and send that."
        )
    return rows[:filled]


def _both(values: Any, formulas: Any) -> Iterator[tuple[_Cells, _Cells]]:
    for each in (values, formulas):
        each.reset_dimensions()  # what a file says of its size may be a lie, or a million empty cells
    return zip(values.iter_rows(), formulas.iter_rows(), strict=False)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return str(value).strip()


def _written(rows: list[list[str]]) -> str:
    width = max(map(len, rows))
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([row + [""] * (width - len(row)) for row in rows])
    return out.getvalue()


def _said(error: BaseException) -> str:
    return str(error).strip(" .'\"")[:200] or type(error).__name__
