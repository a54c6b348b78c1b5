"""Arithmetic in one variable, written as text: roots and minima. Only arithmetic is understood, nothing else."""

import ast
import math
import operator
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.registry import tool

Expression = Annotated[
    str, Field(min_length=1, max_length=500, description="Of x, for example exp(-x) - 0.5*x.")
]

_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    name: getattr(math, name)
    for name in ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "fabs")
}
_CONSTANTS = {"pi": math.pi, "e": math.e}


class Root(BaseModel):
    """Where the expression is 0."""

    x: float


class Minimum(BaseModel):
    """Where the expression is least within the range, and its value there."""

    x: float
    value: float


@tool(
    category="numerics",
    effect=EffectClass.LOCAL,
    cacheable=True,
    parallel_safe=True,
    timeout_s=15,
    examples=[{"expression": "x**2 - 2", "low": 0.0, "high": 2.0}],
)
def find_root(expression: Expression, low: float, high: float) -> Root:
    """Find where an expression of x is 0 between two bounds at which its signs differ."""
    from scipy.optimize import brentq

    function = compiled(expression)
    if function(low) * function(high) > 0:
        raise BadInput(
            f"the expression has the same sign at {low:g} and {high:g}: choose bounds around a root"
        )
    return Root(x=float(brentq(function, low, high)))


@tool(
    category="numerics",
    effect=EffectClass.LOCAL,
    cacheable=True,
    parallel_safe=True,
    timeout_s=15,
    examples=[{"expression": "(x - 1)**2", "low": 0.0, "high": 3.0}],
)
def find_minimum(expression: Expression, low: float, high: float) -> Minimum:
    """Find where an expression of x is least between two bounds: best of 200 points, then refined."""
    from scipy.optimize import minimize_scalar

    if low >= high:
        raise BadInput(f"low {low:g} must be below high {high:g}")
    function = compiled(expression)
    step = (high - low) / 200
    best = min((low + step * i for i in range(201)), key=function)
    bounds = (max(low, best - step), min(high, best + step))
    found = float(minimize_scalar(function, bounds=bounds, method="bounded", options={"xatol": 1e-10}).x)
    x = min((best, found), key=function)
    return Minimum(x=x, value=function(x))


def compiled(expression: str) -> Callable[[float], float]:
    """Return ``expression`` as a function of x. Raises ``BadInput`` for anything but arithmetic."""
    try:
        tree = ast.parse(expression.replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadInput(f"{expression!r} is no expression: {error}") from error
    _check(tree)

    def function(x: float) -> float:
        try:
            return float(_value(tree, float(x)))
        except (ArithmeticError, ValueError) as error:
            raise BadInput(f"the expression has no value at x = {x:g}: {error}") from error

    return function


def _check(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if not _is_known(node):
            raise BadInput(
                f"only arithmetic of x is understood (+ - * / ** and {', '.join(sorted(_FUNCTIONS))}); "
                f"found {type(node).__name__}"
            )


def _is_known(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        is_ours = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        return is_ours and len(node.args) == 1 and not node.keywords
    if isinstance(node, ast.Name):
        return node.id in {"x", *_CONSTANTS, *_FUNCTIONS}
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    return isinstance(node, ast.BinOp | ast.UnaryOp | ast.Load) or type(node) in _OPERATORS


def _value(node: Any, x: float) -> float:
    """Return the value of a checked tree at ``x``."""
    if isinstance(node, ast.Constant):
        return float(str(node.value))
    if isinstance(node, ast.Name):
        if node.id in _FUNCTIONS:
            raise ValueError(f"{node.id} needs an argument in parentheses")
        return x if node.id == "x" else _CONSTANTS[node.id]
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return _FUNCTIONS[node.func.id](_value(node.args[0], x))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_value(node.operand, x))
    return _OPERATORS[type(node.op)](_value(node.left, x), _value(node.right, x))
