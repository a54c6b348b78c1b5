"""A limit that no experiment could be held to is named as such."""

import pytest

from agents.core.limit_checks import limit_faults, objective_faults
from agents.core.science import Constraint, Objective, Parameter, Space

SPACE = Space(
    parameters=[
        Parameter(name="temperature", kind="continuous", low=20, high=120, unit="°C"),
        Parameter(name="base", kind="categorical", levels=["KOAc", "CsOPiv"]),
    ]
)


def limit(predicate: dict | None) -> Constraint:
    return Constraint.model_validate({"id": "C1", "text": "the limit", "predicate": predicate})


def bound(parameter: str, op: str, value: object) -> dict:
    return {"kind": "bound", "parameter": parameter, "op": op, "value": value}


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        (
            bound("pressure", "<=", 3),
            "names pressure, which is no parameter of this study: it has temperature, base.",
        ),
        (
            bound("temperature", "<=", "abc"),
            "temperature is compared with a number in °C, and “abc” is none.",
        ),
        (bound("base", "<=", "KOAc"), "base has named levels, which are not more or less: use == or !=."),
        (bound("base", "!=", "NaOH"), "“NaOH” is no level of base; its levels are KOAc, CsOPiv."),
        ({"kind": "exclusion", "values": {"base": "NaOH", "temperature": 60}}, "“NaOH” is no level of base"),
        (
            {
                "kind": "conditional",
                "when": bound("base", "==", "KOAc"),
                "then": bound("temperature", "<", "hot"),
            },
            "“hot” is none.",
        ),
        ({"kind": "linear", "terms": {"pressure": 1.0}, "op": "<=", "value": 1}, "names pressure"),
    ],
)
def test_what_cannot_be_checked_is_said(predicate, said):
    (fault,) = limit_faults(limit(predicate), SPACE)
    assert said in fault


@pytest.mark.parametrize(
    "predicate",
    [None, bound("temperature", "<=", 110), bound("base", "!=", "KOAc"), bound("temperature", "==", 60)],
)
def test_a_limit_that_means_something_has_no_fault(predicate):
    assert limit_faults(limit(predicate), SPACE) == []


def test_without_parameters_the_fault_says_what_to_do_first():
    (fault,) = limit_faults(limit(bound("pressure", "<=", 3)), Space())
    assert "it has none yet. Add the parameter first" in fault


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"low": 10, "high": 1}, "the smallest possible value, 10, must be below the largest, 1"),
        ({"low": 1, "high": 1}, "must be below"),
        ({"goal": "target", "target": 9, "low": 0, "high": 5}, "the target 9 lies outside"),
        ({"low": 0, "high": 100}, ""),
        ({"low": 0}, ""),
        ({"goal": "target", "target": 3}, ""),
    ],
)
def test_a_range_that_holds_no_value_is_named(given, said):
    found = objective_faults(Objective(name="yield", **given))
    assert (said in found[0]) if said else found == []
