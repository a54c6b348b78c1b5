"""Which experiment comes next: spread over the space at first, then where most improvement is expected."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.core.science import Conditions, Constraint
from agents.reasoners.optimiser.belief import Belief
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.design import spread_scores
from agents.reasoners.optimiser.guidance import Wish
from agents.reasoners.optimiser.observations import Observations
from agents.reasoners.optimiser.pool import Pool
from agents.reasoners.optimiser.refine import around
from agents.reasoners.optimiser.repeats import repeated

_CENTRES = 6
_REFINEMENTS = 3


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


def choose(
    pool: Pool,
    observations: Observations,
    belief: Belief | None,
    *,
    constraints: list[Constraint],
    wishes: list[Wish],
    skip: int,
    rng: np.random.Generator,
) -> Choice | None:
    """Return the best open candidate, or None when none is left.

    Without ``belief`` the one farthest from everything tried. ``skip`` passes over that many of the best: the
    gate refused them. Later wishes win over earlier ones.
    """
    is_open = ~repeated(pool, observations.taken)
    is_open, followed, unmet = _narrowed(pool, is_open, wishes)
    if not is_open.any():
        return None
    scores = _scores(pool, observations, belief, rng)
    order = np.argsort(-np.where(is_open, scores, -np.inf), kind="stable")[: int(is_open.sum())]
    picked = pool, int(order[min(skip, len(order) - 1)]), scores
    if not pool.is_complete:
        picked = (
            _refined(pool, scores, order, observations, belief, constraints, followed, skip, rng) or picked
        )
    source, index, source_scores = picked
    return Choice(
        conditions=source.conditions(index),
        features=source.features[index],
        gain=None if belief is None else float(source_scores[index]),
        open=int(is_open.sum()),
        followed=tuple(followed),
        unmet=tuple(unmet),
    )


def _scores(pool: Pool, observations: Observations, belief: Belief | None, rng: np.random.Generator) -> Array:
    if belief is None:
        return spread_scores(pool.features, observations.tried, rng=rng)
    return belief.gain(belief.predict(pool.features))


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


def _refined(
    pool: Pool,
    scores: Array,
    order: NDArray[np.int64],
    observations: Observations,
    belief: Belief | None,
    constraints: list[Constraint],
    followed: list[Wish],
    skip: int,
    rng: np.random.Generator,
) -> tuple[Pool, int, Array] | None:
    """Return a better candidate near the best ones, or None. Refused ones are passed over by a wider margin."""
    best = float(scores[order[0]])
    centres, source, found = order[skip : skip + _CENTRES].tolist(), pool, None
    for _ in range(_REFINEMENTS if centres else 0):
        near = around(source, centres, constraints, rng)
        usable = ~repeated(near, observations.taken)
        for wish in followed:
            usable &= _meets(near, wish)
        if not usable.any():
            break
        near_scores = np.where(usable, _scores(near, observations, belief, rng), -np.inf)
        ranked = np.argsort(-near_scores, kind="stable")
        if near_scores[ranked[0]] > best and not skip:
            best, found = float(near_scores[ranked[0]]), (near, int(ranked[0]), near_scores)
        source, centres = near, ranked[: min(_CENTRES, int(usable.sum()))].tolist()
    return found
