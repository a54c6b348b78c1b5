"""What an experiment gave: measurements, and the ledger row that keeps them."""

from typing import Any, Literal

from pydantic import Field, field_validator

from agents.core.canonical import digest_of
from agents.core.science import Conditions, Value

MeasurementStatus = Literal["ok", "failed", "abandoned", "below_detection", "above_detection", "invalid"]


class Measurement(Value):
    """One value of one objective.

    ``uncertainty`` is one standard deviation in ``unit``; None means unknown, never zero.
    ``value`` is None unless the status is ok or a detection limit was met.
    """

    objective: str
    value: float | None = Field(default=None, allow_inf_nan=False)
    unit: str = ""
    uncertainty: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    status: MeasurementStatus = "ok"
    note: str = ""


class Experiment(Value):
    """A row of the ledger: conditions with what was measured there.

    ``planned`` is what was asked for; ``actual`` what was done when that differs. ``origin`` says
    whether it came with the study ("past"), from an instrument ("tool") or from a person.
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
    note: str = ""

    @field_validator("replicate")
    @classmethod
    def _counted_from_one(cls, value: int) -> int:
        if value < 1:
            raise ValueError("replicate numbers start at 1")
        return value

    @property
    def conditions(self) -> Conditions:
        """The conditions that count: the actual ones over the planned ones."""
        return {**self.planned, **self.actual}

    def value_of(self, objective: str) -> float | None:
        """Return the measured value of ``objective`` when its status is ok, else None."""
        for measurement in self.measurements:
            if measurement.objective == objective and measurement.status == "ok":
                return measurement.value
        return None


def conditions_digest(conditions: Conditions) -> str:
    """Return one digest for equal conditions, numbers compared at 9 significant digits."""

    def plain(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        return float(f"{float(value):.9g}")

    return digest_of({name: plain(value) for name, value in conditions.items()})
