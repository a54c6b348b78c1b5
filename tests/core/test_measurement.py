"""Measurements and the rows that keep them."""

import pytest
from pydantic import ValidationError

from agents.core.measurement import Experiment, Measurement, conditions_digest


def row(**fields) -> Experiment:
    return Experiment(**{"id": "e1", "planned": {"dose": 5}, **fields})


def test_what_was_done_counts_over_what_was_planned():
    assert row(planned={"dose": 5, "time": 1}, actual={"dose": 6}).conditions == {"dose": 6, "time": 1}


@pytest.mark.parametrize("status", ["failed", "abandoned", "below_detection", "above_detection", "invalid"])
def test_a_value_counts_only_when_it_was_measured(status):
    measured = Measurement(objective="mass", value=3.0, status=status)
    assert row(measurements=[measured]).value_of("mass") is None


def test_the_value_of_an_objective_is_found_by_its_name():
    measured = [Measurement(objective="mass", value=3.0), Measurement(objective="time", value=9.0)]
    assert (row(measurements=measured).value_of("time"), row(measurements=measured).value_of("size")) == (
        9.0,
        None,
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_no_measurement(value):
    with pytest.raises(ValidationError):
        Measurement(objective="mass", value=value)


def test_uncertainty_is_unknown_or_positive():
    assert Measurement(objective="mass", value=1).uncertainty is None
    with pytest.raises(ValidationError):
        Measurement(objective="mass", value=1, uncertainty=-0.1)


def test_replicates_are_counted_from_one():
    with pytest.raises(ValidationError, match="start at 1"):
        row(replicate=0)


@pytest.mark.parametrize(
    ("left", "right", "are_same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 0.1 + 0.2}, {"a": 0.3}, True),
        ({"a": 0.30000001}, {"a": 0.3}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
    ],
)
def test_equal_conditions_have_one_digest(left, right, are_same):
    assert (conditions_digest(left) == conditions_digest(right)) is are_same
