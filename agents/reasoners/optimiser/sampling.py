"""Values for factors without levels: spread over their ranges, mixtures adding up to 1."""

import math
import warnings

import numpy as np
from scipy.stats import qmc

from agents.core.constraints import mixture_names
from agents.core.science import Bound, Linear, Parameter, Predicate, Space
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.polytope import Region, sample

_SUPPORTS = 24
_FRACTION_STEP = 0.001
_ENOUGH = 0.2


def sample_numbers(
    parameters: list[Parameter], predicates: list[Predicate], count: int, *, seed: int
) -> Array:
    """Return up to ``count`` rows, one column a factor, inside bounds and linear limits.

    Limits that also look at factors with levels are left to the caller. No rows when nothing fits.
    """
    rng = np.random.default_rng([seed, 2])
    region = _region(parameters, predicates)
    fractions = mixture_names(Space(parameters=parameters))
    if fractions:
        points = _mixtures(region, parameters, count, rng)
    elif len(region.equal):
        points = sample(region, count, rng)
    else:
        return round_points(_spread(region, count, rng), parameters, predicates)
    _spread_uncoupled(points, region, rng)
    return round_points(points, parameters, predicates)


def tidy_step(parameter: Parameter) -> float:
    """Return the step to which values are rounded: a power of ten, about a 1,000th of the range.

    All fractions of a mixture have the same step, so that what rounding leaves over fits it.
    """
    assert parameter.low is not None
    assert parameter.high is not None
    if parameter.kind == "integer":
        return 1.0
    if parameter.kind == "mixture":
        return _FRACTION_STEP
    return float(10.0 ** math.floor(math.log10((parameter.high - parameter.low) / 500.0)))


def round_points(points: Array, parameters: list[Parameter], predicates: list[Predicate]) -> Array:
    """Return ``points`` with readable numbers; fractions still add up to 1.

    Factors in an equality other than the mixture sum stay as they are, since rounding would break it.
    """
    tied = {
        name
        for predicate in predicates
        if isinstance(predicate, Linear) and predicate.op == "=="
        for name in predicate.terms
    }
    points = points.copy()
    for k, parameter in enumerate(parameters):
        if parameter.name not in tied:
            points[:, k] = round_number(parameter, points[:, k])
    fractions = [k for k, p in enumerate(parameters) if p.name in mixture_names(Space(parameters=parameters))]
    if fractions and len(points) and not any(parameters[k].name in tied for k in fractions):
        _close_sum(points, parameters, fractions)
    return points


def round_number(parameter: Parameter, values: Array) -> Array:
    """Return ``values`` at the step of ``parameter``, inside its bounds."""
    step = tidy_step(parameter)
    digits = max(0, -math.floor(math.log10(step) + 0.5))
    return np.asarray(
        np.clip(np.round(np.round(values / step) * step, digits), parameter.low, parameter.high)
    )


def _spread_uncoupled(points: Array, region: Region, rng: np.random.Generator) -> None:
    """Fill the columns that no limit joins to others evenly, in place: a walk covers them less well."""
    for column in np.flatnonzero(~(np.vstack([region.upper, region.equal]) != 0).any(axis=0)):
        share = (rng.permutation(len(points)) + rng.random(len(points))) / max(1, len(points))
        points[:, column] = region.low[column] + share * (region.high[column] - region.low[column])


def _spread(region: Region, count: int, rng: np.random.Generator) -> Array:
    """Return a Sobol sample, or hit-and-run where limits leave little of the box."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # a count that is no power of two is only a little less even
        cube = qmc.Sobol(len(region.low), rng=rng).random(count)
    points = region.low + cube * (region.high - region.low)
    inside = (points @ region.upper.T <= region.ceiling + 1e-9).all(axis=1)
    return points[inside] if inside.sum() >= _ENOUGH * count else sample(region, count, rng)


def _mixtures(region: Region, parameters: list[Parameter], count: int, rng: np.random.Generator) -> Array:
    """Return blends of all numbers of components: most good ones leave some out."""
    droppable = [k for k, p in enumerate(parameters) if p.kind == "mixture" and p.low == 0.0]
    parts = [sample(region, count // 4, rng)]
    for _ in range(_SUPPORTS):
        absent = rng.permutation(droppable)[: rng.integers(0, max(1, len(droppable)))].astype(np.int64)
        high = region.high.copy()
        high[absent] = 0.0
        narrowed = Region(region.low, high, region.upper, region.ceiling, region.equal, region.value)
        parts.append(sample(narrowed, (3 * count) // (4 * _SUPPORTS), rng))
    return np.vstack(parts)


def _region(parameters: list[Parameter], predicates: list[Predicate]) -> Region:
    """Return the region of bounds, linear limits and the mixture sum over ``parameters`` alone."""
    place = {p.name: k for k, p in enumerate(parameters)}
    upper: list[tuple[Array, float]] = []
    equal: list[tuple[Array, float]] = []
    for predicate in predicates:
        row = _linear_row(predicate, place)
        if row is None:
            continue
        terms, op, value = row
        if op == "==":
            equal.append((terms, value))
        elif op != "!=":
            upper.append((terms, value) if op.startswith("<") else (-terms, -value))
    fractions = mixture_names(Space(parameters=parameters))
    if fractions:
        equal.append((_indicator([place[name] for name in fractions], len(place)), 1.0))
    width = len(place)
    return Region(
        low=np.array([float(p.low or 0.0) for p in parameters]),
        high=np.array([float(p.high or 0.0) for p in parameters]),
        upper=np.array([terms for terms, _ in upper]).reshape(-1, width),
        ceiling=np.array([value for _, value in upper]),
        equal=np.array([terms for terms, _ in equal]).reshape(-1, width),
        value=np.array([value for _, value in equal]),
    )


def _linear_row(predicate: Predicate, place: dict[str, int]) -> tuple[Array, str, float] | None:
    """Return coefficients, operator and value of a limit that is linear in the given factors, else None."""
    if isinstance(predicate, Bound) and predicate.parameter in place and not isinstance(predicate.value, str):
        return _indicator([place[predicate.parameter]], len(place)), predicate.op, float(predicate.value)
    if isinstance(predicate, Linear) and all(name in place for name in predicate.terms):
        terms = np.zeros(len(place))
        for name, factor in predicate.terms.items():
            terms[place[name]] = factor
        return terms, predicate.op, predicate.value
    return None


def _indicator(columns: list[int], width: int) -> Array:
    row = np.zeros(width)
    row[columns] = 1.0
    return row


def _close_sum(points: Array, parameters: list[Parameter], fractions: list[int]) -> None:
    """Give what rounding left over to the fraction of each row that is farthest from its bounds, in place."""
    low = np.array([float(parameters[k].low or 0.0) for k in fractions])
    high = np.array([float(parameters[k].high or 0.0) for k in fractions])
    block = points[:, fractions]
    roomiest = np.minimum(block - low, high - block).argmax(axis=1)
    rows = np.arange(len(points))
    block[rows, roomiest] = np.round(block[rows, roomiest] + 1.0 - block.sum(axis=1), 9)
    points[:, fractions] = block
