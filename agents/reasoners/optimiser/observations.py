"""What the ledger says, as data for the surrogate: one point for equal conditions, noise from replicates."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from agents.core.brief import Brief
from agents.core.constraints import same_level
from agents.core.ledger import noise
from agents.core.measurement import Experiment, conditions_digest, independent
from agents.core.science import Conditions, Space
from agents.core.workflow import actions_of
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.encoding import Encoding, encode


@dataclass(frozen=True)
class Noise:
    """The standard deviation of one measurement. ``freedom`` counts the repeats that it rests on; 0: unknown."""

    sd: float = 0.0
    freedom: int = 0

    @property
    def is_known(self) -> bool:
        """True when replicates, or stated uncertainties, tell the noise."""
        return self.freedom > 0

    def half_width(self, repeats: int = 1) -> float:
        """Return half of the 90 % interval of a mean of ``repeats`` measurements."""
        return float(student.ppf(0.95, self.freedom)) * self.sd / math.sqrt(repeats) if self.is_known else 0.0


@dataclass(frozen=True)
class Point:
    """All measurements at equal conditions. ``values`` by objective, each row of a data set once; ``rows`` are
    their ledger rows, oldest first."""

    conditions: Conditions
    rows: tuple[Experiment, ...]
    values: dict[str, list[float]]

    def mean(self, objective: str) -> float:
        """Return the mean measured value of ``objective``; the point must have one."""
        return float(np.mean(self.values[objective]))


@dataclass(frozen=True)
class Observations:
    """Points inside the space with at least one value, oldest first.

    ``tried`` are the features of all rows, with a value or not; ``pending`` of those planned and not measured
    yet; ``taken`` are conditions that must not come
    again: measured, failed, planned or vetoed.
    """

    points: tuple[Point, ...]
    features: Array
    tried: Array
    pending: Array
    taken: tuple[Conditions, ...]
    noise: dict[str, Noise]
    latest: Experiment | None

    def of(self, objective: str) -> tuple[list[int], Array, Array]:
        """Return which points have ``objective``, their mean values and how many measurements each rests on."""
        chosen = [k for k, point in enumerate(self.points) if point.values[objective]]
        means = np.array([self.points[k].mean(objective) for k in chosen])
        counts = np.array([len(self.points[k].values[objective]) for k in chosen], dtype=np.float64)
        return chosen, means, counts


def observe(brief: Brief, encoding: Encoding) -> Observations:
    """Return the observations of ``brief``.

    Rows that failed, are planned or were vetoed give no information and are not proposed again; rows at levels
    that the space does not have are left out.
    """
    names = [objective.name for objective in brief.protocol.objectives]
    rows = [row for row in brief.experiments if _fits(row.conditions, encoding.space)]
    grouped: dict[str, list[Experiment]] = {}
    for row in rows:
        grouped.setdefault(conditions_digest(_known(row.conditions, encoding.space)), []).append(row)
    points = [point for group in grouped.values() if any((point := _point(group, names)).values.values())]
    refused = [
        action.arguments
        for veto in brief.vetoes
        for action in actions_of(veto.action)
        if action.tool == brief.protocol.experiment_tool
    ]
    taken = [row.conditions for row in rows] + [row.planned for row in rows if row.actual] + refused
    return Observations(
        points=tuple(points),
        features=encode(encoding, [point.conditions for point in points]),
        tried=encode(encoding, [row.conditions for row in rows]),
        pending=encode(encoding, [row.conditions for row in rows if row.status == "planned"]),
        taken=tuple(conditions for conditions in taken if _fits(conditions, encoding.space)),
        noise={name: noise_in([row for point in points for row in point.rows], name) for name in names},
        latest=brief.experiments[-1] if brief.experiments else None,
    )


def _point(rows: list[Experiment], names: list[str]) -> Point:
    values = {name: [value for row in independent(rows) for value in row.values_of(name)] for name in names}
    return Point(conditions=rows[0].conditions, rows=tuple(rows), values=values)


def _known(conditions: Conditions, space: Space) -> Conditions:
    return {parameter.name: conditions[parameter.name] for parameter in space.parameters}


def _fits(conditions: Conditions, space: Space) -> bool:
    """Return True when every factor has a value that can be encoded; numbers may lie beyond their bounds."""
    for parameter in space.parameters:
        value = conditions.get(parameter.name)
        if parameter.levels:
            if value not in parameter.levels and not any(same_level(x, value) for x in parameter.levels):
                return False
        elif isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return False
    return True


def noise_in(rows: list[Experiment], name: str) -> Noise:
    """Return the noise of one measurement of the objective called ``name``, as the whole program has it."""
    found = noise(rows, name)
    return Noise(found.sd, found.degrees) if found else Noise()
