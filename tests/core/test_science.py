"""The values of a space, checked when they are made."""

import pytest
from pydantic import ValidationError

from agents.core.science import Objective, Parameter, Space


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "continuous"}, "needs low and high"),
        ({"kind": "integer", "low": 5, "high": 5}, "must be below"),
        ({"kind": "continuous", "low": 0, "high": float("inf")}, "must be below"),
        ({"kind": "categorical"}, "at least one level"),
        ({"kind": "categorical", "levels": ["a", "a"]}, "lists a level twice"),
        ({"kind": "categorical", "levels": [1.0]}, "must be text"),
        ({"kind": "ordered", "levels": ["low"]}, "must be numbers"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(fields, message):
    with pytest.raises(ValidationError, match=message):
        Parameter(name="x", **fields)


def test_a_parameter_has_a_title_for_people():
    assert (
        Parameter(name="T", label="Temperature", unit="°C", kind="ordered", levels=[90]).title
        == "Temperature (°C)"
    )
    assert Parameter(name="base", kind="categorical", levels=["KOAc"]).title == "base"


def test_two_parameters_of_one_name_are_refused():
    twice = [Parameter(name="x", kind="integer", low=0, high=1)] * 2
    with pytest.raises(ValidationError, match="same name"):
        Space(parameters=twice)


def test_a_parameter_is_found_by_its_name():
    space = Space(parameters=[Parameter(name="x", kind="integer", low=0, high=1)])
    assert space.get("x").high == 1
    with pytest.raises(KeyError):
        space.get("y")


@pytest.mark.parametrize(
    ("fields", "better", "worse"),
    [({"goal": "maximise"}, 9, 1), ({"goal": "minimise"}, 1, 9), ({"goal": "target", "target": 5}, 6, 1)],
)
def test_utility_is_more_where_a_value_is_better(fields, better, worse):
    objective = Objective(name="y", **fields)
    assert objective.utility(better) > objective.utility(worse)


def test_a_target_must_be_given():
    with pytest.raises(ValidationError, match="names none"):
        Objective(name="y", goal="target")
