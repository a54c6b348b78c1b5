import pytest

from agents.core.digest import PrintedTable
from agents.core.science import Parameter
from agents.reasoners.extractive.results import decoded
from tests.reasoners.extractive.documents import digest_of, from_pages

FACTORS = "Table 1. Levels\n\n| Factor | Symbol | Unit | -1 | +1 |\n|---|---|---|---|---|\n| Time | A | min | 30 | 60 |\n| Heat | B | °C | 40 | 80 |\n\n"
DESIGN = "Table 2. Runs\n\n| Run | A | B | Yield (%) | Loss (g) |\n|---|---|---|---|---|\n| 1 | -1 | +1 | 71.2 ± 0.4 | 4.9 |\n| 2 | +1 | -1 | – | 4.7 |\n\n"


def results(digest):
    return [item for item in digest.items if item.kind == "result"]


def test_a_design_table_gives_runs_with_decoded_conditions_and_all_responses():
    first, second = results(digest_of(FACTORS + DESIGN))
    assert first.data["conditions"] == {"time": 30, "heat": 80}
    assert first.data["responses"] == [
        {"name": "Yield", "value": 71.2, "unit": "%"},
        {"name": "Loss", "value": 4.9, "unit": "g"},
    ]
    assert (first.data["name"], first.data["value"], first.data["table"], first.data["row"]) == (
        "Yield",
        71.2,
        "Table 2",
        "Run 1",
    )
    assert second.data["responses"] == [{"name": "Loss", "value": 4.7, "unit": "g"}]


def test_letters_over_columns_are_spelled_out_from_the_legend():
    page = "Run X1 A (%) B (%)\n1 −1 5 6\n2 +1 7 8\nA: Oil yield; B: Wax content."
    rows = [["Run", "X1", "A (%)", "B (%)"], ["1", "−1", "5", "6"], ["2", "+1", "7", "8"]]
    first = results(
        digest_of(from_pages(page, tables=[PrintedTable(page=1, caption="Table 3 Runs", rows=rows)]))
    )[0]
    assert [r["name"] for r in first.data["responses"]][-2:] == ["Oil yield", "Wax content"]


def test_a_table_set_sideways_keeps_each_row_as_a_series():
    page = "表 4: 不同温度下铜电阻阻值\n温度 t( ◦C) 30.0 35.3 40.3\n电阻 Rx (Ω) 58.6 59.7 61.1"
    rows = [["温度 t( ◦C)", "30.0", "35.3", "40.3"], ["电阻 Rx (Ω)", "58.6", "59.7", "61.1"]]
    (item,) = results(
        digest_of(from_pages(page, tables=[PrintedTable(page=1, caption="表 4: 阻值", rows=rows)]))
    )
    assert item.data["series"] == [
        {"name": "温度", "unit": "°C", "values": [30.0, 35.3, 40.3]},
        {"name": "电阻", "unit": "Ω", "values": [58.6, 59.7, 61.1]},
    ]
    assert item.source.verified


def test_a_unit_in_the_corner_holds_for_all_columns():
    (item,) = results(digest_of("| Mass fraction in % | Si | Fe |\n|---|---|---|\n| alloy | 0.68 | 0.2 |\n"))
    assert [r["unit"] for r in item.data["responses"]] == ["%", "%"]


@pytest.mark.parametrize(
    ("cell", "levels", "expected"),
    [
        ("−1", [30, 60], 30), ("+1", [30, 60], 60), ("0", [30, 45, 60], 45), ("(-1)", [30, 60], 30),
        ("2", [10, 20, 30], 20), ("20", [10, 20, 30], 20), ("25", [10, 20, 30], 25), ("0", [0, 5], 0),
    ],
)  # fmt: skip
def test_coded_levels_are_translated_and_values_kept(cell, levels, expected):
    assert decoded(cell, Parameter(name="x", kind="ordered", levels=levels)) == expected


def test_a_named_level_is_found_whatever_its_case():
    assert decoded("LOW", Parameter(name="x", kind="categorical", levels=["Low", "High"])) == "Low"


def test_a_column_with_a_shorter_name_and_the_same_unit_is_the_factor():
    digest = digest_of(
        "| Factor | Symbol | −1 | 0 | +1 |\n|---|---|---|---|---|\n| pH | A | 2.5 | 4.0 | 5.5 |\n"
        "| H2O2 concentration (mM) | B | 4 | 10 | 16 |\n| Catalyst dose (g/L) | C | 0.2 | 0.6 | 1.0 |\n\n"
        "| Run | pH | H2O2 (mM) | Catalyst (g/L) | Removal (%) |\n|---|---|---|---|---|\n"
        "| 1 | 2.5 | 4 | 0.6 | 81.2 |\n| 2 | 5.5 | 16 | 0.2 | 52.7 |\n"
    )
    rows = [item.data for item in digest.items if item.data.get("row")]
    assert [row["conditions"] for row in rows] == [
        {"pH": 2.5, "H2O2 concentration": 4, "catalyst dose": 0.6},
        {"pH": 5.5, "H2O2 concentration": 16, "catalyst dose": 0.2},
    ]
    assert [row["value"] for row in rows] == [81.2, 52.7]


def test_a_response_that_shares_a_word_and_a_unit_with_a_factor_stays_a_response():
    digest = digest_of(
        "| Factor | −1 | +1 |\n|---|---|---|\n| Water content (%) | 10 | 20 |\n| Temperature (°C) | 60 | 80 |\n\n"
        "| Run | Water content (%) | Temperature (°C) | Content (%) |\n|---|---|---|---|\n| 1 | 10 | 60 | 12 |\n"
    )
    (row,) = [item.data for item in digest.items if item.data.get("row")]
    assert row["name"] == "Content"
