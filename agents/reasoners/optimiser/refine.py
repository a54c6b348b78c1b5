"""Candidates around good ones, for spaces that are too large to list."""

import numpy as np

from agents.core.constraints import mixture_names
from agents.core.science import Constraint, Linear, Parameter
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.pool import Columns, Pool, legal_pool, listed_values
from agents.reasoners.optimiser.sampling import round_points

_MOVES = 128
_LONGEST, _SHORTEST = 0.5, 0.01


def around(centres: Pool, others: Pool, constraints: list[Constraint], rng: np.random.Generator) -> Pool:
    """Return legal candidates near each of ``centres``.

    Levels change one factor at a time. Numbers move towards ``others``, which keeps every equality and stays
    inside every convex limit, or one by one; mixtures also pour one component into another.
    """
    space = centres.encoding.space
    source = np.repeat(np.arange(len(centres)), _MOVES)
    columns: Columns = {name: column[source].copy() for name, column in centres.columns.items()}
    levelled = [p for p in space.parameters if listed_values(p) is not None]
    numeric = [p for p in space.parameters if listed_values(p) is None]
    if levelled:
        _change_one_level(columns, levelled, rng, share=0.5 if numeric else 1.0)
    if numeric:
        _move_numbers(columns, others, numeric, constraints, rng)
    return legal_pool(centres.encoding, columns, constraints, is_complete=False)


def _change_one_level(
    columns: Columns, parameters: list[Parameter], rng: np.random.Generator, *, share: float
) -> None:
    count = len(columns[parameters[0].name])
    chosen = rng.integers(len(parameters), size=count)
    is_moved = rng.random(count) < share
    for position, parameter in enumerate(parameters):
        rows = np.flatnonzero(is_moved & (chosen == position))
        values = np.array(listed_values(parameter))
        # A column of texts is as wide as its longest: a longer level would be cut short in it.
        column = columns[parameter.name].astype(np.result_type(columns[parameter.name], values))
        column[rows] = values[rng.integers(len(values), size=len(rows))]
        columns[parameter.name] = column


def _move_numbers(
    columns: Columns,
    others: Pool,
    parameters: list[Parameter],
    constraints: list[Constraint],
    rng: np.random.Generator,
) -> None:
    points = _matrix(columns, parameters)
    targets = _matrix(others.columns, parameters)[rng.integers(len(others), size=len(points))]
    share = np.exp(rng.uniform(np.log(_SHORTEST), np.log(_LONGEST), size=len(points)))
    moved = points + share[:, None] * (targets - points)
    names = mixture_names(others.encoding.space)
    fractions = [k for k, p in enumerate(parameters) if p.name in names]
    if fractions:
        _pour(moved, points, fractions, parameters, rng)
    _move_one(moved, points, _free(parameters, constraints, names), parameters, rng)
    moved = round_points(moved, parameters, [c.predicate for c in constraints if c.predicate is not None])
    for k, parameter in enumerate(parameters):
        columns[parameter.name] = moved[:, k]


def _free(parameters: list[Parameter], constraints: list[Constraint], fractions: list[str]) -> list[int]:
    """Return the columns that no linear limit and no mixture joins to others."""
    joined = {*fractions}
    for constraint in constraints:
        if isinstance(constraint.predicate, Linear):
            joined.update(constraint.predicate.terms)
    return [k for k, parameter in enumerate(parameters) if parameter.name not in joined]


def _move_one(
    moved: Array, points: Array, free: list[int], parameters: list[Parameter], rng: np.random.Generator
) -> None:
    """Replace a third of the moves by changing a single free number a little, or setting it to a bound."""
    rows = np.flatnonzero(rng.random(len(points)) < 1 / 3)
    if not free or not len(rows):
        return
    column = np.array(free)[rng.integers(len(free), size=len(rows))]
    low = np.array([float(p.low or 0.0) for p in parameters])[column]
    high = np.array([float(p.high or 0.0) for p in parameters])[column]
    size = np.exp(rng.uniform(np.log(_SHORTEST / 2), np.log(_LONGEST), size=len(rows)))
    value = points[rows, column] + rng.choice([-1.0, 1.0], size=len(rows)) * size * (high - low)
    moved[rows] = points[rows]
    moved[rows, column] = np.clip(value, low, high)


def _matrix(columns: Columns, parameters: list[Parameter]) -> Array:
    return np.column_stack([columns[p.name].astype(np.float64) for p in parameters])


def _pour(
    moved: Array, points: Array, fractions: list[int], parameters: list[Parameter], rng: np.random.Generator
) -> None:
    """Replace half of the moves by pouring part or all of one component into another."""
    rows = np.flatnonzero(rng.random(len(points)) < 0.5)
    order = rng.permuted(np.tile(fractions, (len(rows), 1)), axis=1)
    giver, taker = order[:, 0], order[:, 1]
    low = np.array([float(p.low or 0.0) for p in parameters])
    high = np.array([float(p.high or 0.0) for p in parameters])
    room = np.minimum(points[rows, giver] - low[giver], high[taker] - points[rows, taker])
    amount = np.maximum(room, 0.0) * np.where(rng.random(len(rows)) < 0.25, 1.0, rng.random(len(rows)))
    poured = points[rows]
    poured[np.arange(len(rows)), giver] -= amount
    poured[np.arange(len(rows)), taker] += amount
    moved[rows] = poured
