"""Roots and minima of arithmetic; nothing but arithmetic is understood."""

import pytest

from agents.core.errors import BadInput
from agents.tools.numerics.expressions import compiled, find_minimum, find_root


def test_a_root_and_a_minimum() -> None:
    assert find_root("x**2 - 2", 0.0, 2.0).x == pytest.approx(2**0.5)
    found = find_minimum("(x - 1)^2 + cos(6*x)", -2.0, 4.0)
    curve = compiled("(x - 1)**2 + cos(6*x)")
    assert found.value == pytest.approx(curve(found.x))
    assert found.value <= min(curve(x / 1000) for x in range(-2000, 4001))


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "x.__class__",
        "[x for x in (1,)]",
        "lambda: 1",
        "'a' * 9",
        "open",
        "exp(x, 2)",
        "x if x else 1",
        "True",
        "x[0]",
    ],
)
def test_anything_but_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(BadInput, match="only arithmetic"):
        compiled(expression)


@pytest.mark.parametrize("expression", ["1/0*x", "log(-1)", "9**9**9**9", "exp"])
def test_an_expression_without_a_value_is_refused_at_once(expression: str) -> None:
    with pytest.raises(BadInput, match="has no value at x = 1"):
        compiled(expression)(1.0)


def test_bounds_must_hold_a_root() -> None:
    with pytest.raises(BadInput, match="the same sign at 2 and 3"):
        find_root("x**2 - 2", 2.0, 3.0)
