"""What the measurements so far say about every candidate: one surrogate an objective."""

import functools
from dataclasses import dataclass

import numpy as np

from agents.core.science import Objective
from agents.reasoners.optimiser import gp
from agents.reasoners.optimiser.acquisition import Goal, goal_of, log_improvement
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.observations import Noise, Observations
from agents.reasoners.optimiser.pool import Pool

_CHUNK = 16_384
_PRIOR_SHARE = 0.0067
"""Noise variance expected before any replicate, as a share of the variance of the responses."""
_PRIOR_FREEDOM = 2
_MARGIN = 0.005
"""Share of the spread that a gain must exceed among numbers: without it, the search creeps by tiny steps."""


@dataclass(frozen=True)
class Belief:
    """The surrogates of a study. ``best`` is the utility to beat, by ``margin`` at least."""

    pool: Pool
    objectives: tuple[Objective, ...]
    surrogates: tuple[gp.Surrogate, ...]
    goal: Goal
    best: float
    margin: float

    @functools.cached_property
    def everywhere(self) -> list[tuple[Array, Array]]:
        """What ``predict`` says about every candidate of the pool."""
        return self.predict(self.pool.features)

    def predict(self, features: Array) -> list[tuple[Array, Array]]:
        """Return mean and standard deviation of each response at ``features``."""
        return [_predict(surrogate, features) for surrogate in self.surrogates]

    def scores(self, beliefs: list[tuple[Array, Array]]) -> Array:
        """Return the logarithm of the expected improvement over the best so far, given predictions."""
        sign = -1.0 if self.objectives[0].goal == "minimise" else 1.0
        return log_improvement(self.goal, sign, beliefs, self.best + self.margin)

    def measuring_sd(self, objective: int = 0) -> float:
        """Return the standard deviation of a single measurement, as the surrogate has it."""
        surrogate = self.surrogates[objective]
        return float(np.sqrt(surrogate.single_noise) * surrogate.spread)


def believe(observations: Observations, pool: Pool, objectives: list[Objective]) -> Belief:
    """Return the belief after ``observations``; each objective needs at least two points."""
    fitted = []
    for objective in objectives:
        chosen, means, counts = observations.of(objective.name)
        single = _single_variance(observations.noise[objective.name], means)
        noise = None if single is None else single / counts
        surrogate = gp.fit(observations.features[chosen], means, pool.encoding.blocks, noise=noise)
        surrogate = surrogate if single is None else surrogate.with_single_noise(single)
        fitted.append(gp.expecting(surrogate, observations.pending))
    complete = complete_points(observations, objectives)
    measured = [np.array([observations.points[k].mean(o.name) for k in complete]) for o in objectives]
    goal = goal_of(objectives, measured)
    is_noisy = any(observations.noise[o.name].is_known for o in objectives)
    levels = measured
    if is_noisy:
        levels = [gp.predict(surrogate, observations.features[complete])[0] for surrogate in fitted]
    utilities = goal.utility(levels)
    margin = 0.0 if pool.is_complete else _MARGIN * float(utilities.std())
    return Belief(pool, tuple(objectives), tuple(fitted), goal, float(utilities.max()), margin)


def complete_points(observations: Observations, objectives: list[Objective]) -> list[int]:
    """Return the points at which every objective was measured."""
    return [k for k, point in enumerate(observations.points) if all(point.values[o.name] for o in objectives)]


def raw_utilities(observations: Observations, objectives: list[Objective]) -> tuple[list[int], Array]:
    """Return the complete points and the utility of their mean measured values."""
    complete = complete_points(observations, objectives)
    measured = [np.array([observations.points[k].mean(o.name) for k in complete]) for o in objectives]
    return complete, goal_of(objectives, measured).utility(measured)


def _single_variance(noise: Noise, means: Array) -> float | None:
    """Return the variance of one measurement; few repeats are drawn towards what is usual."""
    if not noise.is_known:
        return None
    usual = _PRIOR_SHARE * float(means.var())
    return (noise.freedom * noise.sd**2 + _PRIOR_FREEDOM * usual) / (noise.freedom + _PRIOR_FREEDOM)


def _predict(surrogate: gp.Surrogate, features: Array) -> tuple[Array, Array]:
    parts = [gp.predict(surrogate, features[k : k + _CHUNK]) for k in range(0, len(features), _CHUNK)]
    return np.concatenate([mean for mean, _ in parts]), np.concatenate([sd for _, sd in parts])
