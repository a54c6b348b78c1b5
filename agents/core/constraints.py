"""Evaluating predicates and the space against conditions: pure rules with sentences for people."""

import math
from typing import Any

from agents.core.science import (
    Bound,
    Conditional,
    Conditions,
    Constraint,
    Exclusion,
    Level,
    Linear,
    Operator,
    Parameter,
    Predicate,
    Space,
    Value,
)

SUM_TOLERANCE = 1e-3
"""How far mixture fractions may miss 1: what rounding to three decimals can cost."""

_CLOSE = 1e-9
_WORDS: dict[Operator, str] = {
    "<=": "at most",
    "<": "below",
    ">=": "at least",
    ">": "above",
    "==": "equal to",
    "!=": "other than",
}


class Violation(Value):
    """One reason why conditions are not allowed. ``message`` is a sentence for people.

    ``constraint_id`` is empty when the space itself forbids it; ``parameters`` are those involved.
    """

    message: str
    constraint_id: str = ""
    parameters: list[str] = []


def describe(predicate: Predicate, space: Space | None = None) -> str:
    """Return ``predicate`` as a readable clause; ``space`` supplies units."""
    if isinstance(predicate, Bound):
        return f"{predicate.parameter} is {_WORDS[predicate.op]} {_shown(predicate.value, predicate.parameter, space)}"
    if isinstance(predicate, Linear):
        return f"{_sum_text(predicate.terms)} is {_WORDS[predicate.op]} {_number(predicate.value)}"
    if isinstance(predicate, Exclusion):
        parts = [f"{name} {_shown(value, name, space)}" for name, value in predicate.values.items()]
        return f"{' with '.join(parts)} is excluded"
    return f"when {describe(predicate.when, space)}, {describe(predicate.then, space)}"


def parameters_of(predicate: Predicate) -> list[str]:
    """Return the names of the parameters that ``predicate`` looks at."""
    if isinstance(predicate, Bound):
        return [predicate.parameter]
    if isinstance(predicate, Linear):
        return list(predicate.terms)
    if isinstance(predicate, Exclusion):
        return list(predicate.values)
    return list(dict.fromkeys([predicate.when.parameter, predicate.then.parameter]))


def unexecutable(constraints: list[Constraint], space: Space) -> list[Constraint]:
    """Return the constraints that no program can check in ``space``: text only, or about other parameters."""
    names = {parameter.name for parameter in space.parameters}
    return [c for c in constraints if c.predicate is None or not names.issuperset(parameters_of(c.predicate))]


def violations(
    conditions: Conditions, constraints: list[Constraint], space: Space | None = None
) -> list[Violation]:
    """Return every constraint that ``conditions`` break, in the order given.

    A predicate about a parameter that ``conditions`` do not name says nothing about them, and neither does
    a constraint without a predicate: see ``unexecutable``.
    """
    return [
        Violation(
            message=_broken_sentence(conditions, constraint, constraint.predicate, space),
            constraint_id=constraint.id,
            parameters=parameters_of(constraint.predicate),
        )
        for constraint in constraints
        if constraint.predicate is not None and not holds(conditions, constraint.predicate)
    ]


def holds(conditions: Conditions, predicate: Predicate) -> bool:
    """Return True when ``conditions`` satisfy ``predicate`` or leave out a parameter that it needs."""
    if any(name not in conditions for name in parameters_of(predicate)):
        return True
    if isinstance(predicate, Bound):
        return _compare(conditions[predicate.parameter], predicate.op, predicate.value)
    if isinstance(predicate, Linear):
        return _linear_holds(conditions, predicate)
    if isinstance(predicate, Exclusion):
        return not all(same_level(conditions[name], value) for name, value in predicate.values.items())
    assert isinstance(predicate, Conditional)
    return not holds(conditions, predicate.when) or holds(conditions, predicate.then)


def outside_space(conditions: Conditions, space: Space) -> list[Violation]:
    """Return why ``conditions`` are no point of ``space``: names, missing values, levels, bounds, mixture sum."""
    known = {parameter.name for parameter in space.parameters}
    found = [
        Violation(
            message=f"{name} is no parameter of this study; it has {', '.join(sorted(known))}.",
            parameters=[name],
        )
        for name in conditions
        if name not in known
    ]
    for parameter in space.parameters:
        message = _misfit(conditions, parameter)
        if message:
            found.append(Violation(message=message, parameters=[parameter.name]))
    return found or _mixture_misfit(conditions, space)


def mixture_names(space: Space) -> list[str]:
    """Return the parameters whose fractions must add up to 1: all mixture ones, when there are at least two."""
    names = [parameter.name for parameter in space.parameters if parameter.kind == "mixture"]
    return names if len(names) > 1 else []


def same_level(a: Any, b: Any) -> bool:
    """Return True for equal text, or numbers equal within rounding."""
    if is_number(a) and is_number(b):
        return math.isclose(float(a), float(b), rel_tol=_CLOSE, abs_tol=1e-12)
    return type(a) is type(b) and bool(a == b)


def is_number(value: Any) -> bool:
    """Return True for a finite number; booleans are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _compare(received: Any, op: Operator, wanted: Level) -> bool:
    if op in ("==", "!="):
        return same_level(received, wanted) is (op == "==")
    if not (is_number(received) and is_number(wanted)):
        return False
    left, right = float(received), float(wanted)
    if math.isclose(left, right, rel_tol=_CLOSE, abs_tol=1e-12):
        return op in ("<=", ">=")
    return left < right if op in ("<", "<=") else left > right


def _linear_holds(conditions: Conditions, predicate: Linear) -> bool:
    if not all(is_number(conditions[name]) for name in predicate.terms):
        return False
    total = sum(factor * float(conditions[name]) for name, factor in predicate.terms.items())
    gap = total - predicate.value
    if predicate.op in ("==", "!="):
        return (abs(gap) <= predicate.tolerance) is (predicate.op == "==")
    return _compare(gap, predicate.op, 0.0) or (
        predicate.op in ("<=", ">=") and abs(gap) <= predicate.tolerance
    )


def _misfit(conditions: Conditions, parameter: Parameter) -> str:
    """Return why the value of one parameter does not fit, or an empty text."""
    name = parameter.name
    if conditions.get(name) is None:
        return f"{name} has no value; give {_allowed(parameter)}."
    value = conditions[name]
    if parameter.levels:
        fits = any(same_level(value, level) for level in parameter.levels)
    else:
        fits = is_number(value) and _within(float(value), parameter)
    return "" if fits else f"{name} is {_shown_raw(value)}, which is not {_allowed(parameter)}."


def _within(value: float, parameter: Parameter) -> bool:
    assert parameter.low is not None
    assert parameter.high is not None
    slack = _CLOSE * max(abs(parameter.low), abs(parameter.high), 1.0)
    inside = parameter.low - slack <= value <= parameter.high + slack
    return inside and (parameter.kind != "integer" or float(value).is_integer())


def _allowed(parameter: Parameter) -> str:
    unit = f" {parameter.unit}" if parameter.unit else ""
    if parameter.levels:
        return f"one of {', '.join(_number(level) for level in parameter.levels)}{unit}"
    kind = "a whole number" if parameter.kind == "integer" else "a number"
    return f"{kind} from {_number(parameter.low)} to {_number(parameter.high)}{unit}"


def _mixture_misfit(conditions: Conditions, space: Space) -> list[Violation]:
    names = mixture_names(space)
    total = sum(float(conditions[name]) for name in names)
    if not names or abs(total - 1.0) <= SUM_TOLERANCE:
        return []
    return [
        Violation(
            message=f"{' + '.join(names)} add up to {_number(total)}; they must add up to 1.",
            parameters=names,
        )
    ]


def _broken_sentence(
    conditions: Conditions, constraint: Constraint, predicate: Predicate, space: Space | None
) -> str:
    shown = ", ".join(
        f"{name} is {_shown(conditions[name], name, space)}" for name in parameters_of(predicate)
    )
    page = f" (page {constraint.source.page})" if constraint.source.page is not None else ""
    return f"{shown}, but the limit says: {constraint.text or describe(predicate, space)}{page}."


def _sum_text(terms: dict[str, float]) -> str:
    parts = [name if factor == 1 else f"{_number(factor)} x {name}" for name, factor in terms.items()]
    return " + ".join(parts)


def _shown(value: Any, name: str, space: Space | None) -> str:
    parameters = {parameter.name: parameter for parameter in space.parameters} if space else {}
    unit = parameters[name].unit if name in parameters and is_number(value) else ""
    return f"{_number(value)} {unit}".rstrip()


def _shown_raw(value: Any) -> str:
    return _number(value) if is_number(value) else repr(value)


def _number(value: Any) -> str:
    return f"{float(value):.6g}" if is_number(value) else str(value)
