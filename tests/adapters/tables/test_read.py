import pytest

from agents.adapters.tables import read_table
from agents.core.errors import BadInput


@pytest.fixture
def read(tmp_path):
    def read(content: str | bytes, **limits: int):
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, name="past.csv", **limits)

    return read


def kinds(table):
    return [(problem.kind, problem.row, problem.column) for problem in table.problems]


def test_titles_units_and_kinds(read):
    table = read("Solvent,Temp (°C),Time / min,Rate_mL\nwater,60,5,1.5\nethanol,80,10,2\n")
    assert [(c.label, c.unit, c.kind) for c in table.columns] == [
        ("Solvent", "", "text"),
        ("Temp", "°C", "number"),
        ("Time", "min", "number"),
        ("Rate", "mL", "number"),
    ]
    assert table.rows == [["water", 60, 5, 1.5], ["ethanol", 80, 10, 2]]
    assert table.problems == []


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("温度（℃）,产率\n60,5\n".encode("utf-8-sig"), "utf-8-sig"),
        ("温度（℃）,产率\n60,5\n".encode("gb18030"), "gb18030"),
        ("温度（℃）,产率\n60,5\n".encode("utf-16"), "utf-16"),
    ],
)
def test_encodings_of_spreadsheets(read, content, encoding):
    table = read(content)
    assert table.encoding == encoding
    assert [(c.label, c.unit) for c in table.columns] == [("温度", "°C"), ("产率", "")]


def test_latin_1_is_read_and_named(read):
    table = read("Température (°C);Rendement\n60;5\n".encode("latin-1"))
    assert (table.columns[0].name, table.encoding) == ("Température (°C)", "cp1252")


def test_semicolons_with_decimal_comma(read):
    table = read("a;b\n1,5;2\n1.002,25;3\n")
    assert (table.delimiter, table.decimal) == (";", ",")
    assert table.rows == [[1.5, 2], [1002.25, 3]]


def test_tabs_with_commas_in_the_text(read):
    assert read("a\tb\nx, y\t1\nz, w, v\t2\n").rows == [["x, y", 1], ["z, w, v", 2]]


def test_a_header_inside_the_data_is_left_out_and_named(read):
    table = read("a,b\n1,2\na,b\n3,4\n")
    assert table.rows == [[1, 2], [3, 4]]
    assert kinds(table) == [("header", 3, "")]


def test_a_table_without_header_keeps_its_first_row(read):
    table = read("CCO,0.1,5\nCO,0.2,6\nCCO,0.3,7\n")
    assert [c.name for c in table.columns] == ["column 1", "column 2", "column 3"]
    assert len(table.rows) == 3


def test_duplicated_rows_are_named_and_kept(read):
    table = read("a,b\n1,2\n3,4\n1,2.0\n")
    assert len(table.rows) == 3
    assert table.problems[0].message == "Row 4 is the same as row 2 in every column."


def test_missing_cells_are_named_by_row_and_column(read):
    table = read("a,b\n1,\n,4\nn/a,5\n")
    assert kinds(table) == [("missing", 2, "b"), ("missing", 3, "a"), ("missing", 4, "a")]
    assert [row[0] for row in table.rows] == [1, None, None]


def test_ragged_rows_are_squared_and_named(read):
    table = read("a,b\n1,2,3\n4\n5,6\n")
    assert table.rows == [[1, 2], [4, None], [5, 6]]
    assert [problem for problem in kinds(table) if problem[0] == "ragged"] == [
        ("ragged", 2, ""),
        ("ragged", 3, ""),
    ]


@pytest.mark.parametrize("cell", ["NaN", "inf", "-Infinity", "#DIV/0!"])
def test_cells_that_are_not_finite_become_missing(read, cell):
    table = read(f"a,b\n1,{cell}\n2,3\n")
    assert kinds(table) == [("not_finite", 2, "b")]
    assert table.rows[0][1] is None


def test_formulas_stay_text(read):
    table = read('a,b\n1,"=HYPERLINK(""http://x"")"\n2,y\n')
    assert table.rows[0][1] == '=HYPERLINK("http://x")'
    assert kinds(table) == [("formula", 2, "b")]


def test_text_in_a_column_of_numbers_is_named_and_kept(read):
    table = read("a,b\n" + "".join(f"{i},{i}\n" for i in range(10)) + "10,oops\n")
    assert table.columns[1].kind == "number"
    assert kinds(table) == [("not_a_number", 12, "b")]
    assert table.rows[-1] == [10, "oops"]


def test_a_unit_in_every_cell_moves_to_the_column(read):
    table = read("T,b\n60 °C,1\n80 °C,2\n")
    assert (table.columns[0].unit, table.rows[1][0]) == ("°C", 80)


def test_quoted_cells_keep_line_breaks_and_separators(read):
    assert read('a,b\n"x\ny, z",1\n').rows == [["x\ny, z", 1]]


def test_repeated_titles_are_told_apart(read):
    table = read("a,a,\n1,2,3\n")
    assert [c.name for c in table.columns] == ["a", "a 2", "column 3"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        (b"\x00\x00", "empty"),
        ("a,b\n", "no rows of values"),
        (b"PK\x03\x04xxxx", "Save it as CSV"),
        (b"%PDF-1.7", "is a PDF"),
        (bytes(range(256)) * 4, "binary data"),
        ("Dear Ann,\nplease find enclosed, as agreed, our table.\nRegards,\nBen\n", "running text"),
        ("Dear Ann,\nthe table is attached, see there.\n", "running text"),
        ("A short note about the weather\nIt was fine.\n", "running text"),
    ],
)
def test_what_is_not_a_table_is_refused_with_the_reason(read, content, message):
    with pytest.raises(BadInput, match=message):
        read(content)


@pytest.mark.parametrize(
    "content",
    ["Ligand,Note\nXPhos,a bulky phosphine that is used for many couplings\n", "a\n1\n2\n", "a;b\n1,5;x\n"],
)
def test_small_tables_and_tables_of_texts_are_tables(read, content):
    assert read(content).rows


def test_limits_are_named(read):
    with pytest.raises(BadInput, match="at most 0 MB"):
        read("a,b\n1,2\n", max_bytes=3)
    with pytest.raises(BadInput, match="more than 1 rows"):
        read("a,b\n1,2\n3,4\n5,6\n", max_rows=1)
