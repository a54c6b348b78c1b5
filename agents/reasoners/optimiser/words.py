"""The surrogate in words: numbers, conditions, which factors matter."""

import numpy as np
from numpy.typing import NDArray

from agents.core.science import Conditions, Objective, Parameter, Space
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.pool import Pool

POINTS = "percentage points"
_WHOLE = 100.0


def number(value: float) -> str:
    """Return ``value`` at three significant digits, never in exponents where people would not write them."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        digits = 0 if abs(value) >= 100 else 3 - 1 - int(np.floor(np.log10(abs(value)))) if value else 0
        text = f"{value:.{max(digits, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.3g}"


def quantity(value: float, unit: str) -> str:
    """Return a number with its unit."""
    return f"{number(value)} {unit}".rstrip()


def difference(value: float, objective: Objective) -> str:
    """Return a difference of a response with its unit; between two percentages it is in percentage points."""
    unit = POINTS if objective.unit == "%" else objective.unit
    return quantity(value, unit)


def possible_difference(value: float, objective: Objective, *, seen: float) -> float:
    """Return ``value``, cut at the largest difference that the response can have.

    Without stated limits a percentage is held to lie within 0 to 100, unless ``seen`` was larger.
    """
    if objective.low is not None and objective.high is not None:
        return min(value, objective.high - objective.low)
    return min(value, _WHOLE) if objective.unit == "%" and abs(seen) <= _WHOLE else value


def called(objective: Objective | Parameter) -> str:
    """Return what people call a response or a factor, in running text."""
    label = objective.label or objective.name
    return label[0].lower() + label[1:] if label[1:2].islower() else label


def conditions_text(conditions: Conditions, space: Space) -> str:
    """Return conditions in a line, in the order of the space."""
    parts = []
    for parameter in space.parameters:
        value = conditions[parameter.name]
        shown = value if isinstance(value, str) else f"{value:.6g} {parameter.unit}".rstrip()
        parts.append(f"{called(parameter)} {shown}")
    return ", ".join(parts)


def listing(items: list[str]) -> str:
    """Return ``a, b and c``."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def importance(pool: Pool, mean: Array) -> dict[str, float]:
    """Return the share of the predicted variation that each factor explains by itself, largest first."""
    shares = {p.name: _between(pool.groups[p.name], mean) for p in pool.encoding.space.parameters}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def leaning(pool: Pool, parameter: Parameter, mean: Array, *, is_low_wanted: bool) -> str:
    """Return the direction of a factor: its best and worst level, or whether higher or lower is better."""
    groups = pool.groups[parameter.name]
    sign = -1.0 if is_low_wanted else 1.0
    means = np.bincount(groups, sign * mean) / np.maximum(np.bincount(groups), 1)
    present = np.flatnonzero(np.bincount(groups))
    best, worst = present[np.argmax(means[present])], present[np.argmin(means[present])]
    if parameter.kind == "categorical":
        return f"{parameter.levels[best]} does best and {parameter.levels[worst]} worst"
    if best == present[-1]:
        return f"higher {called(parameter)} does better"
    if best == present[0]:
        return f"lower {called(parameter)} does better"
    values = pool.columns[parameter.name].astype(np.float64)[groups == best]
    middle = f"{number(float(values.min()))} to {quantity(float(values.max()), parameter.unit)}"
    if values.min() == values.max():
        middle = quantity(float(values[0]), parameter.unit)
    return f"{called(parameter)} does best in between, at {middle}"


def _between(groups: NDArray[np.int64], mean: Array) -> float:
    """Return the share of the variance of ``mean`` that lies between groups."""
    total = float(mean.var())
    if total <= 0.0:
        return 0.0
    counts = np.bincount(groups)
    means = np.bincount(groups, mean) / np.maximum(counts, 1)
    return float((counts * (means - mean.mean()) ** 2).sum() / len(mean) / total)
