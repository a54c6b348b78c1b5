import pytest

from agents.core.constraints import (
    describe,
    mixture_names,
    outside_space,
    unexecutable,
    violations,
)
from agents.core.science import (
    Bound,
    Conditional,
    Constraint,
    Exclusion,
    Linear,
    Parameter,
    Predicate,
    Source,
    Space,
)

SPACE = Space(
    parameters=[
        Parameter(name="temperature", kind="continuous", unit="°C", low=20, high=150),
        Parameter(name="solvent", kind="categorical", levels=["DMAc", "BuCN"]),
        Parameter(name="loading", kind="ordered", unit="mol%", levels=[0.1, 1, 5]),
        Parameter(name="repeats", kind="integer", low=1, high=4),
    ]
)
LEGAL = {"temperature": 80, "solvent": "DMAc", "loading": 1, "repeats": 2}
HOT = Bound(parameter="temperature", op="<=", value=110)


def limit(predicate: Predicate | None, text: str = "") -> Constraint:
    return Constraint(id="limit", text=text, predicate=predicate)


def is_broken(predicate: Predicate, **changes: object) -> bool:
    return bool(violations({**LEGAL, **changes}, [limit(predicate)]))


@pytest.mark.parametrize(
    ("op", "at_the_value"),
    [("<=", True), ("<", False), (">=", True), (">", False), ("==", True), ("!=", False)],
)
def test_a_bound_decides_at_its_own_value(op, at_the_value):
    predicate = Bound(parameter="temperature", op=op, value=80)
    assert is_broken(predicate) is not at_the_value


def test_a_bound_tells_both_sides_apart():
    assert not is_broken(HOT, temperature=109.9)
    assert is_broken(HOT, temperature=110.1)


def test_rounding_in_the_last_digit_breaks_no_bound():
    predicate = Bound(parameter="temperature", op="<=", value=0.3)
    assert not is_broken(predicate, temperature=0.1 + 0.2)


def test_text_is_compared_as_text_only():
    assert not is_broken(Bound(parameter="solvent", op="==", value="DMAc"))
    assert is_broken(Bound(parameter="solvent", op="!=", value="DMAc"))
    assert is_broken(Bound(parameter="solvent", op="<=", value="DMAc"))


def test_a_linear_limit_adds_up_its_terms():
    predicate = Linear(terms={"temperature": 1, "repeats": -10}, op="<=", value=60)
    assert not is_broken(predicate, temperature=80, repeats=2)
    assert is_broken(predicate, temperature=81, repeats=2)


def test_a_linear_equality_holds_within_its_tolerance():
    predicate = Linear(terms={"temperature": 1}, op="==", value=80, tolerance=0.5)
    assert not is_broken(predicate, temperature=80.5)
    assert is_broken(predicate, temperature=80.6)


def test_an_exclusion_forbids_only_the_whole_combination():
    predicate = Exclusion(values={"solvent": "BuCN", "loading": 5})
    assert is_broken(predicate, solvent="BuCN", loading=5.0)
    assert not is_broken(predicate, solvent="BuCN", loading=1)


def test_a_conditional_asks_nothing_when_it_does_not_apply():
    predicate = Conditional(when=Bound(parameter="solvent", op="==", value="BuCN"), then=HOT)
    assert not is_broken(predicate, solvent="DMAc", temperature=140)
    assert is_broken(predicate, solvent="BuCN", temperature=140)


def test_a_limit_about_a_missing_parameter_says_nothing():
    pressure = limit(Bound(parameter="pressure", op="<=", value=5))
    assert violations(LEGAL, [pressure, limit(None, "Keep dry.")]) == []
    assert unexecutable([pressure, limit(HOT), limit(None, "Keep dry.")], SPACE) == [
        pressure,
        limit(None, "Keep dry."),
    ]


def test_a_violation_is_a_sentence_with_value_limit_and_page():
    source = Source(origin="document", page=4)
    constraint = Constraint(id="hot", text="T must not exceed 110 °C", predicate=HOT, source=source)
    (found,) = violations({**LEGAL, "temperature": 120}, [constraint], SPACE)
    assert found.message == "temperature is 120 °C, but the limit says: T must not exceed 110 °C (page 4)."
    assert (found.constraint_id, found.parameters) == ("hot", ["temperature"])


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (HOT, "temperature is at most 110 °C"),
        (Linear(terms={"a": 1, "b": 2}, op="==", value=1), "a + 2 x b is equal to 1"),
        (Exclusion(values={"solvent": "BuCN", "loading": 5}), "solvent BuCN with loading 5 mol% is excluded"),
        (
            Conditional(when=Bound(parameter="solvent", op="==", value="BuCN"), then=HOT),
            "when solvent is equal to BuCN, temperature is at most 110 °C",
        ),
    ],
)
def test_predicates_read_as_clauses(predicate, text):
    assert describe(predicate, SPACE) == text


def test_a_point_of_the_space_has_nothing_against_it():
    assert outside_space(LEGAL, SPACE) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"temperature": 151}, "temperature is 151, which is not a number from 20 to 150 °C."),
        ({"temperature": float("nan")}, "temperature is nan, which is not a number from 20 to 150 °C."),
        ({"temperature": True}, "temperature is True, which is not a number from 20 to 150 °C."),
        ({"solvent": "THF"}, "solvent is 'THF', which is not one of DMAc, BuCN."),
        ({"loading": 2}, "loading is 2, which is not one of 0.1, 1, 5 mol%."),
        ({"repeats": 1.5}, "repeats is 1.5, which is not a whole number from 1 to 4."),
        ({"repeats": None}, "repeats has no value; give a whole number from 1 to 4."),
    ],
)
def test_outside_the_space_says_what_was_expected(change, message):
    assert [fault.message for fault in outside_space({**LEGAL, **change}, SPACE)] == [message]


def test_an_unknown_parameter_is_named_with_the_known_ones():
    (found,) = outside_space({**LEGAL, "colour": "red"}, SPACE)
    assert found.message == (
        "colour is no parameter of this study; it has loading, repeats, solvent, temperature."
    )


def test_fractions_of_a_mixture_add_up_to_one():
    parts = Space(parameters=[Parameter(name=n, kind="mixture", low=0, high=1) for n in "abc"])
    assert outside_space({"a": 0.333, "b": 0.333, "c": 0.334}, parts) == []
    (found,) = outside_space({"a": 0.5, "b": 0.3, "c": 0.1}, parts)
    assert found.message == "a + b + c add up to 0.9; they must add up to 1."


def test_a_single_fraction_is_a_share_of_something_not_varied():
    alone = Space(parameters=[Parameter(name="water", kind="mixture", low=0, high=0.2)])
    assert mixture_names(alone) == []
    assert outside_space({"water": 0.1}, alone) == []
