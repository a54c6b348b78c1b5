import pytest

from agents.core.digest import PrintedTable
from tests.reasoners.extractive.documents import digest_of, from_pages

REPORT = """其中 C, ρ 分别为材料的比热容与密度。热源周期 T = 180 s。
铜的比热为 0.385 J/(g · K)，密度为
8.92 g/cm3；铝的比热为 0.880 J/(g · K)，密度为 2.7 g/cm3。
波速的平均值为
V¯ = 0.00264 m/s
可求得铜的热导率为
kCu =
V
2CρT
4π
= {copper}W/(m ·
◦C)
波速的平均值为 V¯ = 0.00261 m/s，所以可求得铝的热导率为
kAl =
V
2CρT
4π
= 231.84 {unit}"""


def notes(digest):
    return [item.note for item in digest.items if item.note and item.kind == "result"]


def test_a_result_that_its_formula_does_not_give_is_recomputed():
    digest = digest_of(from_pages(REPORT.format(copper="348.43", unit="W/(m · K)")))
    assert digest.warnings == [
        "Page 1: Recomputed from (V²CρT)/(4π): 342.8 W/(m·°C); printed is 348.43W/(m · ◦C)."
    ]
    assert "Recomputed from (V²CρT)/(4π): 342.8 W/(m·°C); printed is 348.43W/(m · ◦C)." in " ".join(
        notes(digest)
    )


def test_a_result_that_its_formula_gives_is_confirmed():
    digest = digest_of(from_pages(REPORT.format(copper="342.8", unit="W/(m · K)")))
    assert digest.warnings == []
    assert "Recomputed from (V²CρT)/(4π): 231.8 W/(m·K)." in " ".join(notes(digest))


def test_a_unit_that_cannot_belong_to_its_name_is_flagged():
    digest = digest_of(from_pages(REPORT.format(copper="342.8", unit="m/s")))
    assert digest.warnings == [
        "Page 1: The unit m/s does not measure thermal conductivity; expected a unit such as W/(m·K).",
        "Page 1: Recomputed from (V²CρT)/(4π): 231.8 W/(m·K); printed is 231.84 m/s.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The density of the product was 880 MPa.",
        "The temperature was 5 mL.",
        "The thermal conductivity was found to be 231 m/s.",
        "The resistance is 5 °C.",
        "样品的密度为 1.05 ℃。",
        "反应时间为 80 ℃。",
    ],
)
def test_wrong_kinds_of_unit(text):
    assert len(digest_of(from_pages(text)).warnings) == 1


@pytest.mark.parametrize(
    "text",
    [
        "The temperature was raised by 5 %.",
        "The temperature was 60 °C for a time of 2 h.",
        "Each time, 300 g were used.",
        "The time at 60 °C was long.",
        "The current density was 5 mA/cm2.",
        "The scan rate was 0.1 mV s−1 and the heating rate 5 K/min.",
        "温度的测量间距均为 2 cm。",
        "The adsorption capacity was 48 mg/g.",
        "酶的用量为 5 g/L。",
        "The dosage was 5 g/L and the catalyst loading was 2 mg/cm2.",
        "The density was 1.2 g/cm3 at a pressure of 2 bar.",
    ],
)
def test_right_units_and_other_things_are_left_alone(text):
    assert digest_of(from_pages(text)).warnings == []


def test_the_expected_unit_is_named():
    (warning,) = digest_of(from_pages("The dosage was 5 MPa.")).warnings
    assert "expected a unit such as kg." in warning


def test_a_symbol_with_two_kinds_of_unit_on_a_page():
    digest = digest_of(from_pages("Design: R2 = 936.7 °C was chosen. In fact R2 = 945.6 Ω was built."))
    assert digest.warnings == ["Page 1: R2 is given in °C (936.7 °C) and in Ω (945.6 Ω) on this page."]


def table_page(mean):
    page = f"Table 1 Yields\nRun Yield (%)\n1 70\n2 80\n3 90\nThe mean yield was {mean} %."
    rows = [["Run", "Yield (%)"], ["1", "70"], ["2", "80"], ["3", "90"]]
    return from_pages(page, tables=[PrintedTable(page=1, caption="Table 1 Yields", rows=rows)])


def test_a_mean_that_its_table_does_not_give():
    assert digest_of(table_page("85.0")).warnings == [
        "Page 1: The mean of Yield in Table 1 is 80 %; printed is 85.0 %."
    ]


def test_a_mean_that_its_table_gives():
    digest = digest_of(table_page("80.0"))
    assert digest.warnings == []
    assert "Recomputed: the mean of Yield in Table 1 is 80 %." in notes(digest)


@pytest.mark.parametrize(
    "text",
    ["The current density was 6 A/dm2.", "电流密度为 6 A/dm²。", "At pH 3.2, 12 mM peroxide was used."],
)
def test_a_right_unit_is_not_flagged(text):
    assert digest_of(text).warnings == []
