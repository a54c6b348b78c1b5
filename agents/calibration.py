"""How far a study's predictions and proposals have held: calibration, agreement of people, time to decision."""

from collections import Counter, defaultdict
from statistics import median, quantiles
from typing import Any

from pydantic import ValidationError

from agents.core.calibration import Calibration, Scored, calibrations
from agents.core.gates import GateKind
from agents.core.measurement import departures_of
from agents.core.science import Value
from agents.models import Experiment, Gate, Run, Study

MOST = 2000
"""The latest that are read: what a reasoner did long ago says little of it now."""
ON_CARD = 300


class Agreement(Value):
    """What people made of the proposals of one reasoner, those alone that people were asked about."""

    reasoner: str
    approved: int = 0
    edited: int = 0
    answered: int = 0
    vetoed: int = 0
    stopped: int = 0

    @property
    def count(self) -> int:
        """How many proposals people decided."""
        return self.approved + self.edited + self.answered + self.vetoed + self.stopped

    @property
    def share(self) -> float:
        """The share that went through as it was proposed."""
        return self.approved / self.count if self.count else 0.0


class Waits(Value):
    """Seconds from opening to decision of one kind of review: half within ``median``, nine of ten within ``most``."""

    kind: str
    count: int
    median: float
    most: float


class Track(Value):
    """All of it for a study."""

    calibrations: list[Calibration]
    agreements: list[Agreement]
    waits: list[Waits]


FIELDS = {"approve": "approved", "edit": "edited", "answer": "answered", "veto": "vetoed", "stop": "stopped"}


def track_of(study: Study) -> Track:
    """Return the study's track record, by its latest ``MOST`` predictions and decisions."""
    rows = list(_decided(study))
    return Track(
        calibrations=calibrations(scored_of(study)), agreements=_agreements(rows), waits=_waits(rows)
    )


def scored_of(study: Study, *, reasoner: str = "", most: int = MOST) -> list[Scored]:
    """Return the latest ``most`` predictions of the study (of ``reasoner`` alone) that were measured, newest first."""
    rows = Experiment.objects.filter(study=study, run__isnull=False, prediction__isnull=False)
    if reasoner:
        rows = rows.filter(run__reasoner=reasoner)
    listed = list(
        rows.order_by("-created_at", "-pk").values_list(
            "run_id", "run__reasoner", "round", "prediction", "measurements", "planned", "actual"
        )[:most]
    )
    tools = _tools({row[0] for row in listed})
    found = (
        _scored(named, tools.get((run_id, round), ""), prediction, measurements)
        for run_id, named, round, prediction, measurements, planned, actual in listed
        # What was done otherwise than planned was not what the prediction was about.
        if not departures_of(planned, actual)
    )
    return [row for row in found if row is not None]


def calibration_for(run: Run, *, tool: str, objective: str) -> Calibration | None:
    """Return how predictions like the one on a card have held, or None before the first was measured."""
    rows = scored_of(run.study, reasoner=run.reasoner, most=ON_CARD)
    like = [row for row in rows if row.tool == tool and row.objective == objective]
    return next(iter(calibrations(like)), None)


def _tools(runs: set[Any]) -> dict[tuple[Any, int | None], str]:
    """Return the tool that was let through, by run and round."""
    rows = Gate.objects.filter(run__in=runs, kind=GateKind.PROPOSAL, status=Gate.Status.ANSWERED).order_by(
        "opened_at"
    )
    return {
        (run_id, round): str(tool or "")
        for run_id, round, tool in rows.values_list("run_id", "round", "answer__action__tool")
    }


def _scored(reasoner: str, tool: str, prediction: Any, measurements: Any) -> Scored | None:
    named = prediction.get("objective") if isinstance(prediction, dict) else None
    measured = next(
        (m for m in measurements or [] if m.get("objective") == named and m.get("status") == "ok"), None
    )
    if measured is None or not isinstance(measured.get("value"), int | float):
        return None
    given = {name: prediction[name] for name in ("mean", "low", "high", "level") if name in prediction}
    try:
        return Scored(
            reasoner=reasoner,
            tool=tool,
            objective=named,
            unit=measured.get("unit", ""),
            value=measured["value"],
            **given,
        )
    except ValidationError:
        return None


def _decided(study: Study) -> Any:
    """Return kind, reasoner, verdict and both times of the latest gates that people answered."""
    rows = Gate.objects.filter(run__study=study, status=Gate.Status.ANSWERED, answer__source="person")
    return rows.order_by("-answered_at").values_list(
        "kind", "run__reasoner", "answer__verdict", "opened_at", "answered_at"
    )[:MOST]


def _agreements(rows: list[Any]) -> list[Agreement]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, reasoner, verdict, _opened, _answered in rows:
        if kind == GateKind.PROPOSAL and verdict in FIELDS:
            counts[reasoner][FIELDS[verdict]] += 1
    return [Agreement(reasoner=reasoner, **dict(found)) for reasoner, found in sorted(counts.items())]


def _waits(rows: list[Any]) -> list[Waits]:
    seconds: dict[str, list[float]] = defaultdict(list)
    for kind, _reasoner, _verdict, opened, answered in rows:
        seconds[kind].append((answered - opened).total_seconds())
    return [
        Waits(kind=kind, count=len(found), median=median(found), most=_ninth(found))
        for kind, found in sorted(seconds.items())
    ]


def _ninth(values: list[float]) -> float:
    return quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]
