"""Points inside linear limits: hit-and-run from the middle of the region."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog

from agents.reasoners.optimiser.descriptors import Array

_STEPS = 40


@dataclass(frozen=True)
class Region:
    """``low <= x <= high``, ``upper @ x <= ceiling`` and ``equal @ x == value``."""

    low: Array
    high: Array
    upper: Array
    ceiling: Array
    equal: Array
    value: Array


def sample(region: Region, count: int, rng: np.random.Generator) -> Array:
    """Return ``count`` points spread over ``region``, one a row; no rows when the region is empty."""
    span = np.where(region.high > region.low, region.high - region.low, 1.0)
    return np.clip(_walk(_scaled(region, span), count, rng) * span + region.low, region.low, region.high)


def _scaled(region: Region, span: Array) -> Region:
    """Return the region with every coordinate counted from its low end in units of its range."""
    return Region(
        low=np.zeros_like(span),
        high=(region.high - region.low) / span,
        upper=region.upper * span,
        ceiling=region.ceiling - region.upper @ region.low,
        equal=region.equal * span,
        value=region.value - region.equal @ region.low,
    )


def _walk(region: Region, count: int, rng: np.random.Generator) -> Array:
    centre = _middle(region)
    if centre is None:
        return np.zeros((0, len(region.low)))
    basis = _directions(region)
    points = np.tile(centre, (count, 1))
    if basis.shape[1] == 0:
        return points[:1]
    limits, bounds = _inequalities(region)
    for _ in range(_STEPS):
        direction = rng.normal(size=(count, basis.shape[1])) @ basis.T
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        low, high = _reach(points, direction, limits, bounds)
        points = points + (low + (high - low) * rng.random(count))[:, None] * direction
    return points


def _middle(region: Region) -> Array | None:
    """Return the point that is farthest from every limit, or None when there is no point at all."""
    limits, bounds = _inequalities(region)
    basis = _directions(region)
    reach = np.linalg.norm(limits @ basis, axis=1) if basis.size else np.zeros(len(limits))
    width = len(region.low)
    found = linprog(
        np.append(np.zeros(width), -1.0),
        A_ub=np.column_stack([limits, reach]),
        b_ub=bounds,
        A_eq=np.column_stack([region.equal, np.zeros(len(region.equal))]) if len(region.equal) else None,
        b_eq=region.value if len(region.equal) else None,
        bounds=[(None, None)] * width + [(0.0, float(np.max(region.high - region.low)))],
    )
    return np.asarray(found.x[:width]) if found.success else None


def _directions(region: Region) -> Array:
    """Return an orthonormal basis of the moves that keep every equality."""
    if not len(region.equal):
        return np.eye(len(region.low))
    return np.asarray(null_space(region.equal))


def _inequalities(region: Region) -> tuple[Array, Array]:
    width = len(region.low)
    limits = np.vstack([region.upper.reshape(-1, width), np.eye(width), -np.eye(width)])
    return limits, np.concatenate([region.ceiling, region.high, -region.low])


def _reach(points: Array, direction: Array, limits: Array, bounds: Array) -> tuple[Array, Array]:
    """Return how far back and forth each point may move along its direction."""
    room = np.maximum(bounds - points @ limits.T, 0.0)
    speed = direction @ limits.T
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = room / speed
    high = np.where(speed > 1e-12, steps, np.inf).min(axis=1)
    low = np.where(speed < -1e-12, steps, -np.inf).max(axis=1)
    return low, high
