"""Predictions held against what was measured: how often an interval held, and which way the expected value missed."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from agents.core.science import Value


class Scored(Value):
    """A prediction that was written before its action, and the value that was measured after it."""

    reasoner: str
    tool: str
    objective: str
    unit: str = ""
    mean: float
    low: float
    high: float
    level: float = 0.9
    value: float

    @property
    def is_inside(self) -> bool:
        """True when the value fell within the interval, ends included."""
        return self.low <= self.value <= self.high


class Calibration(Value):
    """The predictions of one reasoner for one tool and objective. ``bias`` is measured minus expected, on average:
    above zero, too little was expected. ``level`` is how often the intervals said they would hold."""

    reasoner: str
    tool: str
    objective: str
    unit: str
    count: int
    inside: int
    level: float
    bias: float
    miss: float

    @property
    def coverage(self) -> float:
        """The share of values that fell within their interval."""
        return self.inside / self.count

    @property
    def is_overconfident(self) -> bool:
        """True when so few intervals held that chance alone would rarely explain it: two standard errors."""
        spread: float = (self.level * (1 - self.level) / self.count) ** 0.5
        return self.coverage < self.level - 2 * spread - 1e-9


def calibrations(rows: Iterable[Scored]) -> list[Calibration]:
    """Return the calibration of each reasoner, tool and objective, most predictions first."""
    groups: dict[tuple[str, str, str], list[Scored]] = defaultdict(list)
    for row in rows:
        groups[row.reasoner, row.tool, row.objective].append(row)
    found = [
        Calibration(
            reasoner=reasoner,
            tool=tool,
            objective=objective,
            unit=scored[0].unit,
            count=len(scored),
            inside=sum(each.is_inside for each in scored),
            level=fmean(each.level for each in scored),
            bias=fmean(each.value - each.mean for each in scored),
            miss=fmean(abs(each.value - each.mean) for each in scored),
        )
        for (reasoner, tool, objective), scored in groups.items()
    ]
    return sorted(found, key=lambda each: (-each.count, each.reasoner, each.tool, each.objective))
