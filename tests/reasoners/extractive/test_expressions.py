import pytest

from agents.reasoners.extractive.expressions import Unreadable, evaluate, readings_of

VALUES = {"V": 2.0, "C": 3.0, "T": 5.0, "R1": 7.0}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("V C", 6), ("VC + T", 11), ("V^2 C", 12), ("V²C", 12), ("(V + C)/T", 1), ("T/V/C", 5 / 6), ("2VC − T", 7),
        ("R1 · V", 14), ("√(C + 1)", 2), ("4π", 12.566370614359172), ("2 × 3", 6),
    ],
)  # fmt: skip
def test_formulas(formula, value):
    assert evaluate(formula, VALUES, number=float) == pytest.approx(value)


@pytest.mark.parametrize("formula", ["", "X", "V +", "(V", "V)", "V^C", "V^99", "import os", "V; C", "__"])
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(Unreadable):
        evaluate(formula, VALUES, number=float)


def test_a_fraction_in_lines_is_read_with_its_power_first():
    assert readings_of("\nV\n2CρT\n4π\n") == ["(V^2 CρT)/(4π)"]
    assert readings_of("k\nCρ") == ["(k)/(Cρ)"]
    assert readings_of("a/b") == ["a/b"]


@pytest.mark.parametrize("text", ["", "the sum of all values", "热导率", "x" * 200])
def test_text_is_no_formula(text):
    assert readings_of(text) == []
