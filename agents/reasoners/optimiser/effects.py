"""What the measurements support, factor by factor: differences with intervals, other factors accounted for."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import t as student

from agents.core.constraints import same_level
from agents.core.science import Objective, Parameter, Space
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.observations import Point

LEAST_PER_LEVEL = 3
LEAST_FREEDOM = 6
_LEVEL = 0.05


@dataclass(frozen=True)
class Effect:
    """The difference of the response between two settings of a factor, ``high`` less ``low`` setting.

    For levels: the best against the worst; for numbers: the top of the measured range against its bottom.
    ``low`` and ``high`` bound the difference at 95 % for all that were looked at together: pairs and factors.
    """

    parameter: Parameter
    settings: tuple[float | str, float | str]
    difference: float
    low: float
    high: float
    counts: tuple[int, int]

    @property
    def is_supported(self) -> bool:
        """True when the interval leaves out zero."""
        return self.low > 0.0 or self.high < 0.0

    @property
    def strength(self) -> float:
        """The difference in half-widths of its interval."""
        half = (self.high - self.low) / 2
        return abs(self.difference) / half if half > 0 else math.inf


def effects(points: list[Point], space: Space, objective: Objective) -> list[Effect]:
    """Return one effect a factor, clearest first; none while there are too few measurements to tell.

    Least squares on the main effects of all factors. What it cannot separate is left out.
    """
    points = [point for point in points if point.values[objective.name]]
    fitted = _fitted(points, space, objective)
    if fitted is None:
        return []
    model, columns = fitted
    found = [
        _levels_effect(model, p, columns[p.name], points, objective)
        if p.kind == "categorical"
        else _number_effect(model, p, columns[p.name], points)
        for p in space.parameters
    ]
    return sorted((effect for effect in found if effect is not None), key=lambda effect: -effect.strength)


def differences(points: list[Point], space: Space, objective: Objective) -> list[Effect]:
    """Return one effect for every two levels of a factor, in the order of the space, and one for each number.

    As ``effects`` does, it leaves out what the measurements cannot separate; nothing is chosen, so that two sets of
    experiments can be asked about the same two levels.
    """
    points = [point for point in points if point.values[objective.name]]
    fitted = _fitted(points, space, objective)
    if fitted is None:
        return []
    model, columns = fitted
    found: list[Effect] = []
    for parameter in space.parameters:
        if parameter.kind == "categorical":
            found += _pairs(model, parameter, columns[parameter.name], points)
        elif effect := _number_effect(model, parameter, columns[parameter.name], points):
            found.append(effect)
    return found


def _pairs(model: "_Model", parameter: Parameter, column: int, points: list[Point]) -> Iterator[Effect]:
    counts = _counts(parameter, points)
    usual = [k for k, count in enumerate(counts) if count >= LEAST_PER_LEVEL]
    comparisons = max(1, len(usual) * (len(usual) - 1) // 2)
    for low, high in combinations(usual, 2):
        weights = np.zeros(model.design.shape[1])
        weights[column + high], weights[column + low] = 1.0, -1.0
        told = model.contrast(weights, comparisons=comparisons)
        if told is not None:
            settings = (parameter.levels[low], parameter.levels[high])
            yield Effect(parameter, settings, *told, (counts[low], counts[high]))


def _fitted(
    points: list[Point], space: Space, objective: Objective
) -> tuple["_Model", dict[str, int]] | None:
    """Return the main effects by least squares with the first column of each factor; None for too little data."""
    if len(points) <= LEAST_FREEDOM:
        return None
    values = np.array([point.mean(objective.name) for point in points])
    design, columns = _design(points, space)
    rank = int(np.linalg.matrix_rank(design))
    freedom = len(points) - rank
    if freedom < LEAST_FREEDOM:
        return None
    inverse = np.asarray(np.linalg.pinv(design.T @ design), dtype=np.float64)
    coefficients = inverse @ design.T @ values
    variance = float(((values - design @ coefficients) ** 2).sum()) / freedom
    model = _Model(design, inverse, coefficients, variance, freedom, looks=len(space.parameters))
    return model, columns


def _counts(parameter: Parameter, points: list[Point]) -> list[int]:
    return [
        sum(same_level(point.conditions[parameter.name], level) for point in points)
        for level in parameter.levels
    ]


@dataclass(frozen=True)
class _Model:
    design: Array
    inverse: Array
    coefficients: Array
    variance: float
    freedom: int
    looks: int

    def contrast(self, weights: Array, *, comparisons: int) -> tuple[float, float, float] | None:
        """Return estimate and interval of a combination of coefficients, or None when data cannot tell it."""
        if not np.allclose(self.inverse @ (self.design.T @ (self.design @ weights)), weights, atol=1e-6):
            return None
        estimate = float(weights @ self.coefficients)
        error = math.sqrt(max(self.variance * float(weights @ self.inverse @ weights), 0.0))
        half = float(student.ppf(1 - _LEVEL / (2 * comparisons * self.looks), self.freedom)) * error
        return estimate, estimate - half, estimate + half


def _design(points: list[Point], space: Space) -> tuple[Array, dict[str, int]]:
    """Return the matrix of main effects and the first column of each factor."""
    parts = [np.ones((len(points), 1))]
    columns: dict[str, int] = {}
    width = 1
    for parameter in space.parameters:
        values = [point.conditions[parameter.name] for point in points]
        if parameter.kind == "categorical":
            part = np.array([[float(value == level) for level in parameter.levels] for value in values])
        else:
            numbers = np.array(values, dtype=np.float64)
            part = ((numbers - numbers.min()) / (float(np.ptp(numbers)) or 1.0))[:, None]
        columns[parameter.name] = width
        width += part.shape[1]
        parts.append(part)
    return np.hstack(parts), columns


def _levels_effect(
    model: _Model, parameter: Parameter, column: int, points: list[Point], objective: Objective
) -> Effect | None:
    counts = _counts(parameter, points)
    usual = [k for k, count in enumerate(counts) if count >= LEAST_PER_LEVEL]
    if len(usual) < 2 or objective.goal == "target":
        return None
    sign = -1.0 if objective.goal == "minimise" else 1.0
    order = sorted(usual, key=lambda k: sign * model.coefficients[column + k])
    worst, best = order[0], order[-1]
    weights = np.zeros(model.design.shape[1])
    weights[column + best], weights[column + worst] = 1.0, -1.0
    told = model.contrast(weights, comparisons=len(usual) * (len(usual) - 1) // 2)
    if told is None:
        return None
    return Effect(
        parameter, (parameter.levels[worst], parameter.levels[best]), *told, (counts[worst], counts[best])
    )


def _number_effect(model: _Model, parameter: Parameter, column: int, points: list[Point]) -> Effect | None:
    numbers = [float(point.conditions[parameter.name]) for point in points]
    bottom, top = min(numbers), max(numbers)
    if top <= bottom:
        return None
    weights = np.zeros(model.design.shape[1])
    weights[column] = 1.0
    told = model.contrast(weights, comparisons=1)
    if told is None:
        return None
    middle = (bottom + top) / 2
    below = sum(number < middle for number in numbers)
    return Effect(parameter, (bottom, top), *told, (below, len(numbers) - below))
