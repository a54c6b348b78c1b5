import pytest

from agents.core.digest import PrintedTable
from tests.reasoners.extractive.documents import digest_of, from_pages, parameters, texts

LEVELS = {"time": [30.0, 60.0, 90.0], "loading": [0.5, 1.0, 1.5]}


@pytest.mark.parametrize(
    "table",
    [
        "| Factor | Unit | Low (-1) | Center (0) | High (+1) |\n|---|---|---|---|---|\n| Time | min | 30 | 60 | 90 |\n| Loading | wt% | 0.5 | 1 | 1.5 |",
        "| Variable | Symbol | -1 | 0 | +1 |\n|---|---|---|---|---|\n| Time (min) | A | 30 | 60 | 90 |\n| Loading (wt%) | B | 0.5 | 1 | 1.5 |",
        "| Level | Time (min) | Loading (wt%) |\n|---|---|---|\n| -1 | 30 | 0.5 |\n| 0 | 60 | 1.0 |\n| +1 | 90 | 1.5 |",
        "| Factor | Levels | Unit |\n|---|---|---|\n| Time | 30, 60, 90 | min |\n| Loading | 0.5, 1, 1.5 | wt% |",
        "| Level | X1: Time, min | X2: Loading, wt% |\n|---|---|---|\n| Low | 30 | 0.5 |\n| Medium | 60 | 1.0 |\n| High | 90 | 1.5 |",
    ],
)
def test_factor_tables_of_many_shapes(table):
    digest = digest_of(f"# Methods\n\nTable 1. Factors and levels\n\n{table}\n")
    assert parameters(digest) == LEVELS
    assert {item.data["unit"] for item in digest.items if item.kind == "parameter"} == {"min", "wt%"}
    assert all(item.source.verified for item in digest.items)


@pytest.mark.parametrize(
    "table",
    [
        "| Parameter | Min | Max | Unit |\n|---|---|---|---|\n| Temperature | 20 | 80 | °C |",
        "| Parameter | Range |\n|---|---|\n| Temperature (°C) | 20–80 |",
        "| 参数 | 单位 | 下限 | 上限 |\n|---|---|---|---|\n| temperature | °C | 20 | 80 |",
    ],
)
def test_ranges(table):
    digest = digest_of(f"# Methods\n\n{table}\n")
    assert parameters(digest) == {"temperature": (20.0, 80.0)}


def test_orthogonal_table_in_chinese():
    table = (
        "| 水平 | A 温度/℃ | B 时间/min |\n|---|---|---|\n| 1 | 60 | 20 |\n| 2 | 70 | 30 |\n| 3 | 80 | 40 |"
    )
    assert parameters(digest_of(f"表1 因素水平表\n\n{table}\n")) == {
        "温度": [60, 70, 80],
        "时间": [20, 30, 40],
    }


def test_levels_that_are_names():
    table = (
        "| Factor | Levels |\n|---|---|\n| Solvent | water, ethanol, DMSO |\n| Water content | low, high |"
    )
    assert parameters(digest_of(table)) == {
        "solvent": ["water", "ethanol", "DMSO"],
        "water content": ["low", "high"],
    }


def test_a_footnote_mark_is_no_part_of_the_name():
    page = "The content of water was low. Level Water contenta Low 5 High 10"
    rows = [["Level", "Water contenta"], ["Low", "5"], ["High", "10"]]
    digest = digest_of(from_pages(page, tables=[PrintedTable(page=1, caption="", rows=rows)]))
    assert parameters(digest) == {"water content": [5, 10]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Different temperatures (60, 70 and 80 °C) were tested.", {"temperature": [60, 70, 80]}),
        ("The soaking temperature ranged from 250 °C to 450 °C.", {"soaking temperature": (250, 450)}),
        ("We compared three solvents (water, ethanol and DMSO).", {"solvent": ["water", "ethanol", "DMSO"]}),
        ("反应温度分别为 60、70、80 ℃。", {"反应温度": [60, 70, 80]}),
        ("The effect of pH (3, 5 and 7) was studied.", {"pH": [3, 5, 7]}),
        ("It was heated to 60 °C for 2 h.", {}),
    ],
)
def test_levels_in_running_text(text, expected):
    assert parameters(digest_of(f"# Methods\n\n{text}\n")) == expected


def test_a_table_of_factors_holds_no_results():
    table = "| Level | Time (min) |\n|---|---|\n| Low | 30 |\n| High | 60 |"
    assert texts(digest_of(table), "result") == []


def test_temperatures_in_plain_letters_are_levels():
    digest = digest_of(from_pages("The temperatures were 25, 30 and 37 degC. Glucose was 5-50 g/L."))
    assert parameters(digest)["temperature"] == [25, 30, 37]
    assert parameters(digest)["glucose"] == (5, 50)


def test_one_range_under_a_bare_and_a_full_name_is_one_parameter():
    text = (
        "Temperatures between 250 and 450 °C were investigated. The oven is old. "
        "The soaking temperatures were varied from 250 to 450 °C."
    )
    assert parameters(digest_of(from_pages(text))) == {"soaking temperature": (250.0, 450.0)}


def test_a_bare_name_with_another_range_stays_a_parameter_of_its_own():
    text = (
        "Temperatures between 20 and 80 °C were investigated. The oven is old. "
        "The soaking temperatures were varied from 250 to 450 °C."
    )
    assert set(parameters(digest_of(from_pages(text)))) == {"temperature", "soaking temperature"}
