"""Spaces that cannot be listed: numbers, mixtures, very many levels."""

import pytest

from agents.core.ledger import judge
from agents.core.science import Bound, Conditional, Linear, Objective, Parameter, Space
from tests.reasoners.optimiser.briefs import drive, limit, study

TOUGHNESS = Objective(name="toughness", unit="J")


def number(name: str, low: float, high: float, **changes: object) -> Parameter:
    return Parameter(name=name, kind="continuous", low=low, high=high, **changes)


def run(space: Space, respond, count: int, constraints=(), objective=TOUGHNESS):
    """Return the values measured; every proposal must pass the ledger gate."""
    limits = list(constraints)
    rows = drive(study(space, objectives=[objective], constraints=limits), respond, count)
    for place, row in enumerate(rows):
        assert judge(row.conditions, rows=rows[:place], space=space, constraints=limits) == []
    return rows


def test_a_smooth_hill_is_climbed():
    space = Space(parameters=[number("x", -5, 5), number("y", 0, 100)])
    rows = run(space, lambda c: -((c["x"] - 2) ** 2) - ((c["y"] - 30) / 10) ** 2, 20)
    assert max(r.value_of("toughness") for r in rows) > -0.05


def test_numbers_are_readable():
    space = Space(parameters=[number("x", 0, 10), number("wide", 0, 5000)])
    for row in run(space, lambda c: c["x"], 6):
        assert row.conditions["x"] == round(row.conditions["x"], 2)
        assert row.conditions["wide"] == round(row.conditions["wide"] / 10) * 10


def test_whole_numbers_stay_whole():
    space = Space(parameters=[Parameter(name="n", kind="integer", low=1, high=4000), number("x", 0, 1)])
    assert all(isinstance(row.conditions["n"], int) for row in run(space, lambda c: c["n"], 6))


def test_a_slanted_limit_and_a_condition_are_kept_while_searching_along_them():
    space = Space(
        parameters=[
            number("x", 0, 10),
            number("y", 0, 10),
            Parameter(name="kind", kind="categorical", levels=["A", "B"]),
        ]
    )
    limits = [
        limit(Linear(terms={"x": 1, "y": 1}, op="<=", value=8), "sum"),
        limit(
            Conditional(
                when=Bound(parameter="kind", op="==", value="B"), then=Bound(parameter="x", op="<=", value=2)
            ),
            "B only below 2",
        ),
    ]
    rows = run(space, lambda c: c["x"] + 0.5 * c["y"] + (c["kind"] == "B"), 25, limits)
    assert max(r.value_of("toughness") for r in rows) > 7.8


def test_an_equality_is_kept_exactly():
    space = Space(parameters=[number("x", 0, 10), number("y", 0, 10)])
    same = limit(Linear(terms={"x": 1, "y": 1}, op="==", value=10))
    rows = run(space, lambda c: -abs(c["x"] - 3.3), 15, [same])
    assert max(r.value_of("toughness") for r in rows) > -0.1


def test_a_mixture_adds_up_to_one_and_may_leave_parts_out():
    parts = [Parameter(name=n, kind="mixture", low=0, high=1) for n in ("Ni", "Fe", "Co", "Mn")]
    rows = run(Space(parameters=parts), lambda c: c["Ni"] * c["Fe"] - c["Co"] - c["Mn"], 25)
    assert max(r.value_of("toughness") for r in rows) == pytest.approx(0.25, abs=0.005)


def test_a_mixture_with_bounds_and_a_process_factor():
    parts = [
        Parameter(name="resin", kind="mixture", low=0.3, high=0.8),
        Parameter(name="filler", kind="mixture", low=0.1, high=0.6),
        Parameter(name="dye", kind="mixture", low=0, high=0.05),
        number("heat", 20, 80, unit="°C"),
    ]
    rows = run(
        Space(parameters=parts), lambda c: -((c["resin"] - 0.5) ** 2) - ((c["heat"] - 65) / 60) ** 2, 25
    )
    assert max(r.value_of("toughness") for r in rows) > -0.002


def test_a_space_of_millions_of_combinations_is_sampled_and_climbed():
    levels = [f"L{k}" for k in range(8)]
    space = Space(parameters=[Parameter(name=f"p{k}", kind="categorical", levels=levels) for k in range(8)])
    rows = run(space, lambda c: float(sum(int(level[1]) for level in c.values())), 25)
    assert max(r.value_of("toughness") for r in rows) >= 46


def test_limits_that_leave_a_sliver_are_still_sampled():
    space = Space(parameters=[number("x", 0, 1), number("y", 0, 1), number("z", 0, 1)])
    sliver = [
        limit(Linear(terms={"x": 1, "y": 1, "z": 1}, op=">=", value=2.9), "high"),
        limit(Linear(terms={"x": 1, "y": -1}, op="<=", value=0), "x below y"),
    ]
    assert len(run(space, lambda c: c["x"], 8, sliver)) == 8
