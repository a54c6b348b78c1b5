"""Kinetics against closed forms."""

import math

import pytest

from agents.core.errors import BadInput
from agents.tools.numerics.kinetics import Reaction, Simulation, Start, simulate_kinetics


def simulate(*steps: tuple[str, float], end: float = 10.0, **start: float) -> dict[str, list[float]]:
    reactions = [Reaction(equation=equation, rate_constant=k) for equation, k in steps]
    initial = [Start(species=name, concentration=value) for name, value in start.items()]
    found: Simulation = simulate_kinetics(reactions, initial, end, 6)
    return {course.species: course.concentrations for course in found.courses}


def test_first_order_decay() -> None:
    found = simulate(("A -> B", 0.3), A=1.0)
    assert found["A"] == pytest.approx([math.exp(-0.3 * t) for t in (0, 2, 4, 6, 8, 10)], rel=1e-5)
    assert found["B"][-1] == pytest.approx(1 - math.exp(-3), rel=1e-5)


def test_second_order_with_stoichiometry() -> None:
    found = simulate(("2 A -> B", 0.5), A=1.0)
    assert found["A"][-1] == pytest.approx(1 / (1 + 2 * 0.5 * 10), rel=1e-5)


def test_a_reversible_reaction_reaches_its_equilibrium() -> None:
    found = simulate(("A → B", 2.0), ("B -> A", 1.0), A=3.0, end=50.0)
    assert (found["A"][-1], found["B"][-1]) == pytest.approx((1.0, 2.0), rel=1e-6)


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("A + B", "write reactants -> products"),
        ("A <-> B", "a reversible reaction is two steps"),
        ("-> B", "has no reactant"),
        ("2.5 A -> B", "is no species"),
    ],
)
def test_an_equation_that_is_no_step_is_refused(equation: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        simulate((equation, 1.0), A=1.0)


def test_a_start_for_a_stranger_is_refused() -> None:
    with pytest.raises(BadInput, match="C is in no reaction; the species are A, B"):
        simulate(("A -> B", 1.0), C=1.0)
