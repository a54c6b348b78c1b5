"""The numbers of an answer against what was seen."""

import pytest

from agents.core.claims import unsupported
from agents.core.science import Objective

YIELD = [Objective(name="yield", unit="%")]


@pytest.mark.parametrize(
    "answer",
    [
        "The best yield was 78.1 %.",
        "The best yield was 78 %.",
        "最高产率为78.1%。",
        "Between 61.2 and 78.1 %.",
        "It rose at 105 °C.",
        "Temperature matters most.",
    ],
)
def test_values_that_a_result_gives_or_rounds_to_are_supported(answer):
    assert unsupported(answer, objectives=YIELD, known=[61.2, {"values": [78.13]}]) == []


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("The yield was 99.9 %.", ["99.9 %"]),
        ("From 61.2 % to 99.9 %.", ["61.2 % to 99.9 %"]),
        ("78.1 %, then 80.0 % and again 80.0 %.", ["80.0 %"]),
        ("The yield was 78.2 %.", ["78.2 %"]),
    ],
)
def test_other_values_are_named_as_printed(answer, wrong):
    assert unsupported(answer, objectives=YIELD, known=[61.2, 78.1]) == wrong


def test_numbers_in_text_count_as_seen():
    assert unsupported("It was 12.5 %.", objectives=YIELD, known=["yield 12.5 ± 0.2 %", None, True]) == []


def test_true_is_no_number():
    assert unsupported("It was 1 %.", objectives=YIELD, known=[True]) == ["1 %"]


def test_without_a_unit_of_an_objective_nothing_is_judged():
    assert unsupported("It was 99.9 %.", objectives=[Objective(name="score")], known=[]) == []
