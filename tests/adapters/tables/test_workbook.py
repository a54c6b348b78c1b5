"""XLSX workbooks: the sheet that is meant, values as saved, and nothing a file may do but be refused."""

import io
import zipfile
from datetime import date, datetime
from typing import Any

import openpyxl
import pytest

from agents.adapters.tables import read_table, workbook
from agents.adapters.tables.workbook import csv_of, sheet_of
from agents.core.errors import BadInput


def book(**sheets: list[list[Any]]) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def read(data: bytes, sheet: str = "") -> dict[str, str]:
    return sheet_of(data, name="past.xlsx", sheet=sheet)


RUNS = [["base", "temperature (°C)", "yield"], ["KOAc", 90.0, 12.25], ["碳酸铯, dry", 105, None]]


def test_the_child_reads_the_first_filled_sheet_and_the_table_is_as_from_csv(tmp_path: Any) -> None:
    content, name = csv_of(book(Empty=[], Runs=RUNS, Later=[["x"], [1]]), name="past.xlsx")
    assert name == "past (Runs).csv"
    path = tmp_path / "file"
    path.write_bytes(content)
    table = read_table(path, name=name)
    assert [(c.label, c.unit) for c in table.columns] == [("base", ""), ("temperature", "°C"), ("yield", "")]
    assert table.rows == [["KOAc", 90, 12.25], ["碳酸铯, dry", 105, None]]


def test_a_sheet_may_be_named_and_a_wrong_name_lists_those_there_are() -> None:
    data = book(Runs=RUNS, Later=[["x"], [1]])
    assert read(data, "Later") == {"sheet": "Later", "csv": "x\n1\n"}
    with pytest.raises(BadInput, match=r"past.xlsx has no sheet 'Late'; its sheets are: Runs, Later\."):
        read(data, "Late")


def test_rows_keep_their_numbers_and_dates_and_truth_are_text() -> None:
    data = book(
        S=[["when", "ok", "v"], [], [datetime(2026, 11, 30), True, 1e20], [date(2026, 1, 2), False, 0.1]]
    )
    assert read(data)["csv"] == "when,ok,v\n,,\n2026-11-30,TRUE,1e+20\n2026-01-02,FALSE,0.1\n"


def test_a_formula_without_a_saved_value_is_named() -> None:
    with pytest.raises(BadInput, match="sheet 'S': formulas whose value was never saved: 1, the first in B2"):
        read(book(S=[["a", "b"], [1, "=A2*2"]]))


def test_a_formula_counts_as_the_value_it_was_saved_with() -> None:
    data = rewritten(book(S=[["a", "b"], [1, "=A2*2"]]), b"<v></v>", b"<v>2</v>")
    data = rewritten(data, b"<v />", b"<v>2</v>")
    assert read(data)["csv"] == "a,b\n1,2\n"


def rewritten(data: bytes, old: bytes, new: bytes) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for part in source.infolist():
            target.writestr(part.filename, source.read(part).replace(old, new))
    return out.getvalue()


def test_a_size_that_the_file_claims_is_not_believed() -> None:
    data = rewritten(book(S=[["a"], [1]]), b'ref="A1:A2"', b'ref="A1:XFD1048576"')
    assert read(data)["csv"] == "a\n1\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 and nothing more", "past.xlsx is damaged"),
        (book(S=[], T=[]), r"past.xlsx: none of its sheets \(S, T\) has a filled cell"),
    ],
)
def test_what_is_no_table_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read(data)


def test_another_zip_file_is_no_workbook() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("word/document.xml", "x")
    with pytest.raises(BadInput, match="is a zip file, not an XLSX workbook"):
        read(out.getvalue())


def test_a_workbook_without_its_parts_is_refused_in_the_child() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(BadInput, match=r"past.xlsx cannot be read as an XLSX workbook: .*Save it anew"):
        csv_of(out.getvalue(), name="past.xlsx")


def test_a_zip_bomb_is_refused_before_anything_is_unpacked() -> None:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("xl/workbook.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(workbook.MAX_UNPACKED // 10**6 + 2):
            part.write(b" " * 10**6)
    data = out.getvalue()
    assert len(data) < 10**6
    with pytest.raises(BadInput, match=r"past.xlsx unpacks to 30\d MB in 1 parts, more than 300 MB"):
        csv_of(data, name="past.xlsx")


def test_entities_that_grow_do_not_grow_here() -> None:
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE b [<!ENTITY e0 "ha">{lines}]><workbook>&e11;</workbook>'
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book(S=[["a"]]))) as source, zipfile.ZipFile(out, "w") as target:
        for part in source.infolist():
            whole = bomb.encode() if part.filename == "xl/workbook.xml" else source.read(part)
            target.writestr(part.filename, whole)
    with pytest.raises(BadInput):
        csv_of(out.getvalue(), name="past.xlsx")


def test_too_many_rows_or_columns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_ROWS", 3)
    with pytest.raises(BadInput, match="sheet 'S' has more than 3 rows"):
        read(book(S=[[n] for n in range(5)]))
    with pytest.raises(BadInput, match="sheet 'S' has 501 columns in row 1; at most 500 are read"):
        read(book(S=[list(range(501))]))
