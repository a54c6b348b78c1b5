"""What an experiment gave: measurements, and the ledger row that keeps them."""

import math
import statistics
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from agents.core.canonical import digest_of
from agents.core.constraints import same_level
from agents.core.science import Conditions, Value

Finite = Annotated[float, Field(allow_inf_nan=False)]
MeasurementStatus = Literal["ok", "failed", "abandoned", "below_detection", "above_detection", "invalid"]

LOOK_UP_TOOL = "measure"
"""Reads experiments from the study's data set."""


class Measurement(Value):
    """One value of one objective.

    ``uncertainty`` is one standard deviation in ``unit``; None means unknown, never zero.
    ``value`` is None unless the status is ok or a detection limit was met. ``replicates`` are the single
    readings when there were several; ``value`` is then their mean.
    """

    objective: str
    value: float | None = Field(default=None, allow_inf_nan=False)
    unit: str = ""
    uncertainty: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    status: MeasurementStatus = "ok"
    note: str = ""
    replicates: list[Finite] = Field(default_factory=list, exclude_if=lambda readings: not readings)

    @property
    def spread(self) -> float | None:
        """The sample standard deviation of the replicates, in ``unit``; None for fewer than two."""
        return statistics.stdev(self.replicates) if len(self.replicates) > 1 else None

    @property
    def sigma(self) -> float | None:
        """One standard deviation of ``value``: as stated, else of the replicates' mean; None when unknown.

        Replicates that are all alike tell nothing of the noise below their last digit, so they give None.
        """
        if self.uncertainty is not None:
            return self.uncertainty
        return self.spread / math.sqrt(len(self.replicates)) if self.spread else None


class Attachment(Value):
    """A file that came with a result, kept by the SHA-256 of its content. ``size`` is in bytes."""

    name: str
    content_hash: str
    media_type: str = ""
    size: int = Field(default=0, ge=0)


class Experiment(Value):
    """A row of the ledger: conditions with what was measured there.

    ``planned`` is what was asked for; ``actual`` what was done when that differs. ``origin`` says
    whether it came with the study ("past"), from an instrument ("tool") or from a person. ``measured_at`` is
    when it was measured (ISO 8601 with zone), empty when nobody said.
    """

    id: str
    planned: Conditions
    actual: Conditions = Field(default_factory=dict)
    measurements: list[Measurement] = Field(default_factory=list)
    replicate: int = 1
    status: Literal["planned", "measured", "failed", "abandoned"] = "measured"
    origin: Literal["past", "tool", "person"] = "tool"
    operator: str = ""
    instrument: str = ""
    round: int | None = None
    run: int | None = Field(default=None, exclude_if=lambda run: run is None)
    """The number of the run that filed it, where that is another one than the run that reads it."""
    note: str = ""
    measured_at: str = ""
    attachments: list[Attachment] = Field(default_factory=list)

    @field_validator("replicate")
    @classmethod
    def _counted_from_one(cls, value: int) -> int:
        if value < 1:
            raise ValueError("replicate numbers start at 1")
        return value

    @property
    def place(self) -> str:
        """Where it was filed, for people: ``round 3``, ``run 1, round 31``, or empty for what came with the study."""
        return place_of(self.run, self.round)

    @property
    def conditions(self) -> Conditions:
        """The conditions that count: the actual ones over the planned ones."""
        return {**self.planned, **self.actual}

    @property
    def is_looked_up(self) -> bool:
        """True when it was read from the study's data set: asking again reads the same row again."""
        return self.origin == "tool" and self.instrument == LOOK_UP_TOOL

    @property
    def departures(self) -> list[str]:
        """The conditions that were really others than planned; see ``departures_of``."""
        return departures_of(self.planned, self.actual)

    def value_of(self, objective: str) -> float | None:
        """Return the measured value of ``objective`` when its status is ok, else None."""
        for measurement in self.measurements:
            if measurement.objective == objective and measurement.status == "ok":
                return measurement.value
        return None

    def values_of(self, objective: str) -> list[float]:
        """Return every reading of ``objective``: its replicates, else its one value, else nothing."""
        for measurement in self.measurements:
            if measurement.objective == objective and measurement.status == "ok":
                return measurement.replicates or ([] if measurement.value is None else [measurement.value])
        return []


def independent(rows: list[Experiment]) -> list[Experiment]:
    """Return ``rows`` without those that read the same row of the data set again, in whatever run: the first stays.

    Rows of a data set that agree in conditions and in every value cannot be told apart, and count as one.
    """
    seen: set[tuple[Any, ...]] = set()
    kept = []
    for row in rows:
        if row.is_looked_up:
            values = tuple((m.objective, m.status, m.value) for m in row.measurements)
            key = (conditions_digest(row.conditions), values)
            if key in seen:
                continue
            seen.add(key)
        kept.append(row)
    return kept


def departures_of(planned: Conditions, actual: Conditions) -> list[str]:
    """Return the names of the conditions in ``actual`` that differ from ``planned``, numbers within rounding."""
    return [name for name, value in actual.items() if not same_level(value, planned.get(name))]


def place_of(run: int | None, round: int | None) -> str:
    """Return where something was filed, for people; ``run`` only where it is another one."""
    if round is None:
        return ""
    return f"round {round}" if run is None else f"run {run}, round {round}"


def conditions_digest(conditions: Conditions) -> str:
    """Return one digest for equal conditions, numbers compared at 9 significant digits."""

    def plain(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        return float(f"{float(value):.9g}")

    return digest_of({name: plain(value) for name, value in conditions.items()})
