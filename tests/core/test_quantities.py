import pytest

from agents.core.quantities import find_quantities, parse_value
from agents.core.unit_text import plain_unit


def found(text):
    return [(quantity.value, quantity.unit) for quantity in find_quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("heated at 60 °C for 3.2 min", [(60, "°C"), (3.2, "min")]),
        ("at 10◦C min−1 and 1,500 W", [(10, "°C min-1"), (1500, "W")]),
        ("k = 348.43W/(m ·\n◦C)", [(348.43, "W/(m·°C)")]),
        ("α = 4.289 × 10−3 ◦C\n−1", [(0.004289, "°C-1")]),
        ("8.7% and 18,4%", [(8.7, "%"), (18.4, "%")]),
        ("3.5% (v/v) in 1 ml", [(3.5, "% v/v"), (1, "mL")]),
        ("λ = −400 mV", [(-400, "mV")]),
        ("170 mAhg−1 at 0.1 mVs−1", [(170, "mAhg-1"), (0.1, "mVs-1")]),
        ("铜的比热为 0.385 J/(g · K)，密度为 8.92 g/cm3；", [(0.385, "J/(g·K)"), (8.92, "g/cm3")]),
        ("测量约 40 分钟后加入 5 毫升", [(40, "min"), (5, "mL")]),
        ("转速 300 r/min，温度 60 ℃", [(300, "rpm"), (60, "°C")]),
    ],
)
def test_numbers_with_units(text, expected):
    assert found(text) == expected


def test_numbers_in_a_list_share_the_unit_behind_the_last():
    assert found("at 0.1, 1, and 10 C; modes at 990, 1,058 and\n945 cm−1") == [
        (0.1, "C"), (1, "C"), (10, "C"), (990, "cm-1"), (1058, "cm-1"), (945, "cm-1"),
    ]  # fmt: skip


def test_a_number_with_another_unit_is_no_part_of_the_list():
    assert found("At 440 °C, 10% of it") == [(440, "°C"), (10, "%")]


@pytest.mark.parametrize(
    "text", ["60–80 °C", "60 to 80 °C", "60 °C to 80 °C", "60 ~ 80 ℃", "60℃至80℃", "60 ∼ 80 ◦C"]
)
def test_ranges(text):
    (quantity,) = find_quantities(text)
    assert (quantity.value, quantity.high, quantity.unit) == (60, 80, "°C")


def test_uncertainty():
    (quantity,) = find_quantities("110 ±2 HV1")
    assert (quantity.value, quantity.uncertainty, quantity.unit) == (110, 2, "HV1")


@pytest.mark.parametrize(
    "text",
    [
        "Figure 9 A–D", "alloy 6005A in", "C8-C30", "EN AW-6005A", "2020 年 12 月 16 日", "DHT-2 热学", "V2CρT and 2T",
        "10\nA: yield", "8 runs", "version 3.2", "2d ed.", "5 hundred",
    ],
)  # fmt: skip
def test_what_is_no_quantity(text):
    assert find_quantities(text) == []


def test_places_point_into_the_text():
    text = "then 60\n◦C was kept"
    (quantity,) = find_quantities(text)
    assert (text[quantity.start : quantity.end], quantity.text) == ("60\n◦C", "60 ◦C")


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("1,058", 1058),
        ("18,4", 18.4),
        ("−0.61", -0.61),
        ("4.06 · 10−2", 0.0406),
        ("2e-3", 0.002),
        ("10⁻³", None),
        ("x", None),
    ],
)
def test_values_as_printed(printed, value):
    assert parse_value(printed) == value


@pytest.mark.parametrize(
    ("printed", "plain"),
    [
        ("hr", "h"),
        ("◦C", "°C"),
        ("W m−1 K−1", "W m-1 K-1"),
        ("g/cm³", "g/cm3"),
        ("ml/min", "mL/min"),
        ("小时", "h"),
        ("wt.%", "wt%"),
    ],
)
def test_one_spelling_a_unit(printed, plain):
    assert plain_unit(printed) == plain
