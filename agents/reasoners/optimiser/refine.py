"""Candidates around good ones, for spaces that are too large to list."""

import numpy as np

from agents.core.constraints import mixture_names
from agents.core.science import Constraint, Parameter
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.pool import Columns, Pool, legal_pool, listed_values
from agents.reasoners.optimiser.sampling import close_sum, round_number

_MOVES = 160
_LONGEST, _SHORTEST = 0.5, 0.01


def around(pool: Pool, centres: list[int], constraints: list[Constraint], rng: np.random.Generator) -> Pool:
    """Return legal candidates near those of ``pool`` at ``centres``.

    Levels change one factor at a time. Numbers move towards other candidates of the pool, which keeps
    every equality and stays inside every convex limit; mixtures also pour one component into another.
    """
    space = pool.encoding.space
    source = np.repeat(np.array(centres), _MOVES)
    columns: Columns = {name: column[source].copy() for name, column in pool.columns.items()}
    levelled = [p for p in space.parameters if listed_values(p) is not None]
    numeric = [p for p in space.parameters if listed_values(p) is None]
    if levelled:
        _change_one_level(columns, levelled, rng, share=0.5 if numeric else 1.0)
    if numeric:
        _move_numbers(columns, pool, numeric, rng)
    return legal_pool(pool.encoding, columns, constraints, is_complete=False)


def _change_one_level(
    columns: Columns, parameters: list[Parameter], rng: np.random.Generator, *, share: float
) -> None:
    count = len(columns[parameters[0].name])
    chosen = rng.integers(len(parameters), size=count)
    is_moved = rng.random(count) < share
    for position, parameter in enumerate(parameters):
        rows = np.flatnonzero(is_moved & (chosen == position))
        values = np.array(listed_values(parameter))
        columns[parameter.name][rows] = values[rng.integers(len(values), size=len(rows))]


def _move_numbers(
    columns: Columns, pool: Pool, parameters: list[Parameter], rng: np.random.Generator
) -> None:
    points = np.column_stack([columns[p.name].astype(np.float64) for p in parameters])
    others = np.column_stack([pool.columns[p.name].astype(np.float64) for p in parameters])
    target = others[rng.integers(len(others), size=len(points))]
    share = np.exp(rng.uniform(np.log(_SHORTEST), np.log(_LONGEST), size=len(points)))
    moved = points + share[:, None] * (target - points)
    names = mixture_names(pool.encoding.space)
    fractions = [k for k, p in enumerate(parameters) if p.name in names]
    if fractions:
        _pour(moved, points, fractions, parameters, rng)
    for k, parameter in enumerate(parameters):
        if _was_rounded(parameter, others[:, k]):
            moved[:, k] = round_number(parameter, moved[:, k])
    if fractions and all(_was_rounded(parameters[k], others[:, k]) for k in fractions):
        close_sum(moved, fractions)
    for k, parameter in enumerate(parameters):
        columns[parameter.name] = moved[:, k]


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


def _was_rounded(parameter: Parameter, values: Array) -> bool:
    """Values that an equality fixes were left as they came, and so are their neighbours."""
    return bool(np.allclose(round_number(parameter, values), values, rtol=0, atol=1e-9))
