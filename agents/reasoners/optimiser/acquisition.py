"""What one more experiment is expected to gain, for one or several objectives."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm, qmc

from agents.core.science import Objective
from agents.reasoners.optimiser.descriptors import Array

_DRAWS = 64
_FLOOR = 0.01


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


def expected_improvement(goal: Goal, sign: float, beliefs: list[tuple[Array, Array]], best: float) -> Array:
    """Return the mean gain over ``best`` at each candidate, in units of the goal.

    ``beliefs`` holds mean and standard deviation of each objective. ``sign`` is -1 for a single response
    that is minimised.
    """
    if goal.is_linear:
        mean, sd = beliefs[0]
        z = (sign * mean - best) / sd
        return np.asarray(sd * (z * ndtr(z) + np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)))
    draws = norm.ppf(qmc.Sobol(len(beliefs), scramble=False).random(_DRAWS) + 0.5 / _DRAWS)
    total = np.zeros(len(beliefs[0][0]))
    for draw in draws:
        values = [mean + sd * z for (mean, sd), z in zip(beliefs, draw, strict=True)]
        total += np.maximum(goal.utility(values) - best, 0.0)
    return total / _DRAWS


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
