"""Which experiment comes next: spread over the space at first, then where most improvement is expected."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.core.science import Conditions, Constraint
from agents.reasoners.optimiser.belief import Belief, raw_utilities
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.design import spread_scores
from agents.reasoners.optimiser.guidance import Wish
from agents.reasoners.optimiser.observations import Observations
from agents.reasoners.optimiser.pool import Pool, given_pool
from agents.reasoners.optimiser.refine import around
from agents.reasoners.optimiser.repeats import repeated

_CENTRES = 6
_REFINEMENTS = 3
_BEST_MEASURED = 3


@dataclass(frozen=True)
class Choice:
    """The chosen conditions. ``gain`` is the expected improvement, None for a spread experiment.

    ``open`` counts the candidates it was chosen from; ``followed`` are the wishes it meets and ``unmet`` those
    that no open candidate meets.
    """

    conditions: Conditions
    features: Array
    gain: float | None
    open: int
    followed: tuple[Wish, ...] = ()
    unmet: tuple[Wish, ...] = ()


@dataclass(frozen=True)
class Search:
    """What a choice is made from: candidates, what was tried, what is believed, what people wish.

    Without ``belief`` the farthest from everything tried is chosen. ``skip`` passes over that many of the
    best, since the gate refused them. Later wishes win over earlier ones.
    """

    pool: Pool
    observations: Observations
    belief: Belief | None
    constraints: list[Constraint]
    wishes: list[Wish]
    skip: int
    rng: np.random.Generator


def choose(search: Search) -> Choice | None:
    """Return the best open candidate, or None when none is left."""
    pool = search.pool
    is_open, followed, unmet = _narrowed(pool, ~repeated(pool, search.observations.taken), search.wishes)
    count = int(is_open.sum())
    if not count:
        return None
    scores = np.where(is_open, _scores(search, pool), -np.inf)
    order = np.argsort(-scores, kind="stable")[:count]
    index = int(order[min(search.skip, count - 1)])
    source, best = pool, float(scores[index])
    if not pool.is_complete and not search.skip:
        source, index, best = _refined(search, followed, order[:_CENTRES].tolist(), best)
    return Choice(
        conditions=source.conditions(index),
        features=source.features[index],
        gain=None if search.belief is None else math.exp(best),
        open=count,
        followed=tuple(followed),
        unmet=tuple(unmet),
    )


def _scores(search: Search, pool: Pool) -> Array:
    belief = search.belief
    if belief is None:
        return spread_scores(pool.features, search.observations.tried, rng=search.rng)
    return belief.scores(belief.everywhere if pool is belief.pool else belief.predict(pool.features))


def _narrowed(
    pool: Pool, is_open: NDArray[np.bool_], wishes: list[Wish]
) -> tuple[NDArray[np.bool_], list[Wish], list[Wish]]:
    """Return the open candidates that meet the wishes, latest first, as far as any candidate does."""
    followed: list[Wish] = []
    unmet: list[Wish] = []
    for wish in reversed([wish for wish in wishes if wish.is_understood]):
        narrowed = is_open & _meets(pool, wish)
        (followed if narrowed.any() else unmet).append(wish)
        is_open = narrowed if narrowed.any() else is_open
    return is_open, followed[::-1], unmet[::-1]


def _meets(pool: Pool, wish: Wish) -> NDArray[np.bool_]:
    return np.array([wish.is_met(pool.conditions(index)) for index in range(len(pool))], dtype=bool)


def _refined(search: Search, followed: list[Wish], top: list[int], best: float) -> tuple[Pool, int, float]:
    """Return the best candidate after looking around the best ones of the pool and the best measured."""
    found = search.pool, top[0], best
    measured = _best_measured(search)
    starts = [search.pool.conditions(index) for index in top] + measured
    for _ in range(_REFINEMENTS):
        centres = given_pool(search.pool.encoding, starts, search.constraints)
        if not len(centres):
            break
        near = around(centres, search.pool, search.constraints, search.rng)
        usable = ~repeated(near, search.observations.taken)
        for wish in followed:
            usable &= _meets(near, wish)
        if not usable.any():
            break
        scores = np.where(usable, _scores(search, near), -np.inf)
        ranked = np.argsort(-scores, kind="stable")[: min(_CENTRES, int(usable.sum()))]
        if scores[ranked[0]] > found[2]:
            found = near, int(ranked[0]), float(scores[ranked[0]])
        starts = [near.conditions(int(index)) for index in ranked]
    return found


def _best_measured(search: Search) -> list[Conditions]:
    """Return the conditions of the best points, around which a sample of the space may be thin."""
    if search.belief is None:
        return []
    complete, utilities = raw_utilities(search.observations, list(search.belief.objectives))
    best = np.argsort(-utilities, kind="stable")[:_BEST_MEASURED]
    return [search.observations.points[complete[k]].conditions for k in best]
