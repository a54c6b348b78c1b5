"""Units: spellings, conversion, and what cannot be converted."""

import pytest

from agents.tools.units import UnitMismatch, convert, convert_difference, same_unit, split_quantity


@pytest.mark.parametrize(
    ("value", "given", "wanted", "expected"),
    [
        (25, "°C", "K", 298.15),
        (353.15, "K", "℃", 80.0),
        (0.3, "L", "ml", 300.0),
        (0.5, "", "%", 50.0),
        (12, "wt%", "%", 12),
        (0.1, "M", "mol/L", 0.1),
        (1, "kcal/mol", "kJ/mol", 4.184),
        (2, "°C/min", "K/min", 2.0),
        (1, "W/(m²·°C)", "W/(m²·K)", 1.0),
    ],
)
def test_conversion(value: float, given: str, wanted: str, expected: float) -> None:
    assert convert(value, given=given, wanted=wanted) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "wanted"), [("s", "mL"), ("g", "%"), ("flask", "mL"), ("a.u.", "%"), (",000", "°C")]
)
def test_other_dimensions_and_unknown_units_are_refused(given: str, wanted: str) -> None:
    with pytest.raises(UnitMismatch):
        convert(1, given=given, wanted=wanted)


def test_an_unknown_unit_is_still_the_same_as_itself() -> None:
    assert convert(5, given="peak height", wanted="peak  height") == 5


def test_a_difference_of_temperatures_has_no_zero_point() -> None:
    assert convert_difference(1.8, given="°F", wanted="°C") == pytest.approx(1.0)


def test_two_spellings_of_micro_and_litre_are_one_unit() -> None:
    assert same_unit("μL", "µL")
    assert same_unit("ml", "mL")
    assert not same_unit("mL", "L")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25 mL", (25.0, "mL")),
        ("−3", (-3.0, "")),
        ("1.5e-3mol/L", (0.0015, "mol/L")),
        ("NaN", None),
        ("about 5", None),
    ],
)
def test_a_quantity_is_split_only_after_a_plain_number(text: str, expected: tuple[float, str] | None) -> None:
    assert split_quantity(text) == expected
