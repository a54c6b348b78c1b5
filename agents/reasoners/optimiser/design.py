"""The start: experiments spread over the space, before there is anything to model."""

import numpy as np

from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.gp import squared_distances

STARTS = 4
"""Experiments before the surrogate takes over: one at random, then each as far from all others as possible."""


def spread_scores(features: Array, measured: Array, *, rng: np.random.Generator) -> Array:
    """Return how far each candidate is from what was measured; at random while nothing was.

    Ties are broken at random, the same way for the same ``rng``.
    """
    tie = rng.permutation(len(features)) / len(features)
    if not len(measured):
        return tie
    nearest = squared_distances(features, measured).min(axis=1)
    return np.asarray(nearest + 1e-9 * tie)
