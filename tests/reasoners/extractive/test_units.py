import pytest

from agents.reasoners.extractive.units import convert_value, is_dimensionless, pint_unit, unit_of


@pytest.mark.parametrize(
    ("printed", "same_as"),
    [
        ("°C", "K"), ("W/(m·°C)", "W/(m*K)"), ("J/(g·K)", "J/(kg*K)"), ("g/cm3", "kg/m**3"), ("mAh g-1", "A*h/kg"),
        ("mAhg-1", "A*h/kg"), ("mVs-1", "V/s"), ("Scm-1", "S/m"), ("cm-1", "1/m"), ("kΩ", "ohm"), ("°C min-1", "K/s"),
    ],
)  # fmt: skip
def test_printed_units_have_the_right_dimension(printed, same_as):
    assert unit_of(printed).dimensionality == pint_unit(same_as).dimensionality


def test_unknown_units_are_none_and_shares_have_no_dimension():
    assert unit_of("blorps") is None
    assert all(map(is_dimensionless, ["%", "wt%", "% v/v", "ppm", ""]))
    assert not is_dimensionless("g")


def test_readings_are_converted():
    assert convert_value(353.15, given="K", wanted="°C") == pytest.approx(80)
    assert convert_value(1, given="h", wanted="min") == 60
    assert convert_value(1, given="h", wanted="g") is None
