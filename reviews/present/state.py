"""The state column of a run: goal, limits, hypothesis, findings, budget, best so far."""

from dataclasses import dataclass
from typing import Any

from agents.core.lifecycle import RunStatus
from agents.core.measurement import departures_of
from agents.core.science import Objective
from agents.models import Experiment, Run
from reviews.present import words
from reviews.present.charts import Chart, Measured, best_so_far
from reviews.present.figures import number, span


@dataclass(frozen=True)
class Bar:
    """A limit of the budget and what is used of it."""

    name: str
    label: words.Text
    share: float
    used: str
    limit: str
    estimated: str = ""
    """How much of it no server reported; empty when all of it was."""


@dataclass(frozen=True)
class StateView:
    """What the column shows."""

    goal: str
    constraints: list[dict[str, Any]]
    hypothesis: dict[str, Any] | None
    best: dict[str, Any] | None
    findings: list[dict[str, Any]]
    finding_count: int
    bars: list[Bar]
    chart: Chart | None
    measured: str = ""
    """What the chart draws upwards, in words."""

    @property
    def evidence_for(self) -> int:
        """Observations that speak for the hypothesis."""
        return self._count("for")

    @property
    def evidence_against(self) -> int:
        """Observations that speak against it."""
        return self._count("against")

    @property
    def evidence_unclear(self) -> int:
        """Observations that decide nothing."""
        return self._count("inconclusive")

    def _count(self, stance: str) -> int:
        return int((self.hypothesis or {}).get(stance, 0))


def shown_state(run: Run) -> str:
    """Return the state that people are shown: what a waiting run waits for, and a wish not yet obeyed."""
    if run.status == RunStatus.RUNNING and run.wish:
        return "stopping" if run.wish == "stop" else "pausing"
    if run.status == RunStatus.WAITING and run.wait.get("kind") == "result":
        return "bench"
    if run.status == RunStatus.PAUSED and run.wait.get("kind") == "held":
        return "held"
    return run.status


def budget_bars(budget: dict[str, Any], spent: dict[str, Any]) -> list[Bar]:
    """Return one bar for each limit that is set, in the order people think of them."""
    bars = []
    for name, label in words.SPENT.items():
        limit = budget.get(name)
        if limit is None:
            continue
        used = spent.get(name, 0)
        show = span if name == "seconds" else number
        guessed = spent.get("estimated_tokens", 0) if name == "tokens" else 0
        share = min(1.0, used / limit) if limit else 1.0
        bars.append(Bar(name, label, share, show(used), show(limit), number(guessed) if guessed else ""))
    return bars


def _constraints(protocol: dict[str, Any]) -> list[dict[str, Any]]:
    ids = {document["name"]: document["id"] for document in protocol.get("documents", [])}
    rows = []
    for row in protocol.get("constraints", []):
        source = row.get("source", {})
        document_id = source.get("document_id") or ids.get(source.get("document"), "")
        rows.append(
            {
                "text": row["text"],
                "page": source.get("page") if document_id else None,
                "quote": source.get("quote", ""),
                "document_id": document_id,
            }
        )
    return rows


def objective_of(protocol: dict[str, Any]) -> Objective | None:
    """Return the first objective of a protocol, the one that charts follow."""
    rows = protocol.get("objectives", [])
    return Objective.model_validate(rows[0]) if rows else None


def measured_of(rows: list[Experiment], objective: Objective) -> list[Measured]:
    """Return the experiments that have a value of ``objective``, in order, with what was expected of them."""
    found: list[Measured] = []
    for row in rows:
        value = next(
            (
                m["value"]
                for m in row.measurements
                if m["objective"] == objective.name and m.get("status") == "ok"
            ),
            None,
        )
        if value is None:
            continue
        is_scored = row.prediction and row.prediction.get("objective") == objective.name
        expected = row.prediction if is_scored and not departures_of(row.planned, row.actual) else None
        found.append(
            Measured(
                order=len(found) + 1,
                value=float(value),
                label=f"{row.round}" if row.round else "–",
                origin=row.origin,
                expected=(expected["mean"], expected["low"], expected["high"]) if expected else None,
            )
        )
    return found


def state_view(run: Run, experiments: list[Experiment]) -> StateView:
    """Return the state column of ``run``; ``experiments`` are the run's own, in order."""
    state = run.state or {}
    objective = objective_of(run.protocol)
    chart = None
    if objective is not None:
        chart = best_so_far(
            measured_of(experiments, objective), unit=objective.unit, utility=objective.utility
        )
    return StateView(
        measured=(objective.label or objective.name) if objective else "",
        goal=state.get("goal") or run.protocol.get("goal", ""),
        constraints=_constraints(run.protocol),
        hypothesis=state.get("hypothesis"),
        best=state.get("best"),
        findings=state.get("findings", []),
        finding_count=state.get("finding_count", 0),
        bars=budget_bars(run.protocol.get("budget", {}), run.spent or {}),
        chart=chart,
    )
