"""What makes a stated limit senseless: a parameter that the study does not have, a value that it cannot be, a range
that holds nothing."""

from agents.core.constraints import is_number, parameters_of, same_level
from agents.core.science import Bound, Constraint, Exclusion, Level, Objective, Parameter, Predicate, Space

_NAMED = 12


def limit_faults(constraint: Constraint, space: Space) -> list[str]:
    """Return a sentence for each reason why no experiment in ``space`` could be held to ``constraint``.

    A limit in words alone has none: a person reads it at each review.
    """
    if constraint.predicate is None:
        return []
    names = [parameter.name for parameter in space.parameters]
    unknown = [name for name in parameters_of(constraint.predicate) if name not in names]
    if unknown:
        known = f"it has {', '.join(names[:_NAMED])}" if names else "it has none yet"
        told = " and ".join(unknown)
        return [
            f"The limit “{constraint.text}” names {told}, which is no parameter of this study: {known}. "
            "Add the parameter first, or leave the limit in words alone."
        ]
    found = (_bound_fault(bound, space.get(bound.parameter)) for bound in _bounds(constraint.predicate))
    faults = [fault for fault in found if fault]
    return [f"The limit “{constraint.text}” cannot be checked: {fault}" for fault in faults]


def objective_faults(objective: Objective) -> list[str]:
    """Return a sentence for each reason why no measured value of ``objective`` could be possible or wanted."""
    low, high, target = objective.low, objective.high, objective.target
    if low is not None and high is not None and low >= high:
        return [
            f"{objective.name}: the smallest possible value, {low:g}, must be below the largest, {high:g}."
        ]
    if objective.goal != "target" or target is None:
        return []
    if (low is not None and target < low) or (high is not None and target > high):
        return [f"{objective.name}: the target {target:g} lies outside the values that are possible."]
    return []


def _bounds(predicate: Predicate) -> list[Bound]:
    if isinstance(predicate, Bound):
        return [predicate]
    if isinstance(predicate, Exclusion):
        return [Bound(parameter=name, op="==", value=value) for name, value in predicate.values.items()]
    return [predicate.when, predicate.then] if predicate.kind == "conditional" else []


def _bound_fault(bound: Bound, parameter: Parameter) -> str:
    if parameter.kind != "categorical":
        unit = f" in {parameter.unit}" if parameter.unit else ""
        wanted = f"{parameter.name} is compared with a number{unit}"
        return "" if is_number(bound.value) else f"{wanted}, and “{bound.value}” is none."
    if bound.op not in ("==", "!="):
        return f"{parameter.name} has named levels, which are not more or less: use == or !=."
    return _level_fault(bound.value, parameter)


def _level_fault(value: Level, parameter: Parameter) -> str:
    if any(same_level(value, level) for level in parameter.levels):
        return ""
    shown = ", ".join(str(level) for level in parameter.levels[:_NAMED])
    return f"“{value}” is no level of {parameter.name}; its levels are {shown}."
