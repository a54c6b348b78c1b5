"""What one more experiment is expected to gain, for one or several objectives."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm, qmc

from agents.core.science import Objective
from agents.reasoners.optimiser.descriptors import Array

_DRAWS = 64
_FLOOR = 0.01
_TINY = 1e-300
_TAIL = -6.0


@dataclass(frozen=True)
class Goal:
    """What is wanted, as one number where more is better.

    ``utility`` takes one array an objective, in their order, and returns an array of the same shape.
    ``is_linear`` when it is the response itself or its negative.
    """

    utility: Callable[[list[Array]], Array]
    is_linear: bool


def goal_of(objectives: list[Objective], observed: list[Array]) -> Goal:
    """Return the goal of a study: the only objective's utility, or the desirability of several.

    Desirability is the geometric mean of each objective's share of the way from its worst to its best
    value: ``low`` and ``high`` where the study states them, else the range in ``observed``.
    """
    if len(objectives) == 1:
        only = objectives[0]
        return Goal(lambda values: _utility(only, values[0]), is_linear=only.goal != "target")
    scales = [_scale(o, values) for o, values in zip(objectives, observed, strict=True)]

    def desirability(values: list[Array]) -> Array:
        shares = [
            np.maximum((_utility(o, v) - worst) / (best - worst), _FLOOR)
            for o, v, (worst, best) in zip(objectives, values, scales, strict=True)
        ]
        return np.asarray(np.exp(np.mean(np.log(shares), axis=0)))

    return Goal(desirability, is_linear=False)


def log_improvement(goal: Goal, sign: float, beliefs: list[tuple[Array, Array]], best: float) -> Array:
    """Return the logarithm of the expected improvement over ``best`` at each candidate.

    ``beliefs`` holds mean and standard deviation of each objective. ``sign`` is -1 for a single response
    that is minimised. Candidates that cannot be told apart by their improvement are ranked by their mean.
    """
    if goal.is_linear:
        mean, sd = beliefs[0]
        return np.asarray(np.log(sd) + _log_gain((sign * mean - best) / sd))
    draws = norm.ppf(qmc.Sobol(len(beliefs), scramble=False).random(_DRAWS) + 0.5 / _DRAWS)
    total = np.zeros(len(beliefs[0][0]))
    for draw in draws:
        values = [mean + sd * z for (mean, sd), z in zip(beliefs, draw, strict=True)]
        total += np.maximum(goal.utility(values) - best, 0.0)
    short = np.arctan(goal.utility([mean for mean, _ in beliefs]) - best)
    return np.where(total > 0.0, np.log(np.maximum(total / _DRAWS, _TINY)), math.log(_TINY) + short)


def _log_gain(z: Array) -> Array:
    """Return log(pdf(z) + z cdf(z)), which underflows far below zero unless its tail is written out."""
    near = np.maximum(z, _TAIL)
    body = np.log(np.exp(-0.5 * near**2) / math.sqrt(2 * math.pi) + near * ndtr(near))
    far = np.minimum(z, _TAIL)
    tail = -0.5 * far**2 - 0.5 * math.log(2 * math.pi) - 2 * np.log(-far)
    return np.asarray(np.where(z > _TAIL, body, tail))


def _utility(objective: Objective, values: Array) -> Array:
    if objective.goal == "target":
        assert objective.target is not None
        return -np.abs(values - objective.target)
    return values if objective.goal == "maximise" else -values


def _scale(objective: Objective, observed: Array) -> tuple[float, float]:
    """Return the utilities of the worst and the best value that count."""
    limits = [v for v in (objective.low, objective.high) if v is not None]
    ends = _utility(objective, np.array([*limits, *(observed if len(limits) < 2 else [])], dtype=np.float64))
    if objective.goal == "target":
        ends = np.append(ends, 0.0)
    worst, best = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 1.0)
    return (worst, best) if best > worst else (worst, worst + 1.0)
