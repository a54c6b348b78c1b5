"""Reads for the layers above. Every list is bounded or a queryset that the caller paginates."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from agents.core.budget import Budget, shares
from agents.core.lifecycle import RunStatus
from agents.core.study import StudyProtocol
from agents.models import (
    Dataset,
    Effect,
    Event,
    Experiment,
    Finding,
    Gate,
    Run,
    SourceTool,
    Study,
    ToolChange,
    ToolSource,
)
from agents.store.journal import spent_of

EVENTS_AT_ONCE = 200


def events_after(run_id: UUID | str, *, after: int = 0, limit: int = EVENTS_AT_ONCE) -> list[Event]:
    """Return the run's events after ``seq`` ``after``, in order, at most ``limit``."""
    return list(Event.objects.filter(run_id=run_id, seq__gt=after).order_by("seq")[:limit])


def latest_events(
    run_id: UUID | str, *, limit: int = EVENTS_AT_ONCE, before: int | None = None
) -> list[Event]:
    """Return the newest events (below ``before``), oldest first."""
    rows = Event.objects.filter(run_id=run_id)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    return list(reversed(rows.order_by("-seq")[:limit]))


def thought_of(run: Run) -> str:
    """Return what the model is saying right now, or "" when it is not."""
    thought = getattr(run, "thought", None)
    return thought.text if thought is not None and run.status == "running" else ""


def open_gate(run: Run) -> Gate | None:
    """Return the gate at which the run waits, with its review."""
    return (
        Gate.objects.filter(run=run, status=Gate.Status.OPEN)
        .select_related("review")
        .order_by("opened_at")
        .first()
    )


def asked_model_at(run: Run) -> datetime | None:
    """Return since when a run at work has waited for its language model, or None while it does not."""
    if run.status != RunStatus.RUNNING:
        return None
    asked = Effect.objects.filter(run=run, status=Effect.Status.STARTED)
    asked = asked.filter(key__startswith=f"{run.round}/reason/") | asked.filter(key=f"{run.round}/milestone")
    return asked.order_by("-started_at").values_list("started_at", flat=True).first()


def gates_of(run: Run) -> QuerySet[Gate]:
    """Return the run's gates, newest first, with review and decision."""
    return Gate.objects.filter(run=run).select_related("review__decision").order_by("-opened_at", "-id")


def experiments_of(study_id: UUID | str, *, run: Run | None = None) -> QuerySet[Experiment]:
    """Return the ledger of a study, or the part that one run filed, oldest first."""
    rows = Experiment.objects.filter(study_id=study_id).order_by("created_at", "position", "id")
    return rows.filter(run=run) if run is not None else rows


def series_of(run: Run) -> list[dict[str, Any]]:
    """Return value, best so far and prediction of each experiment of the run, by the first objective."""
    protocol = StudyProtocol.model_validate(run.protocol)
    if not protocol.objectives:
        return []
    objective = protocol.objectives[0]
    best: float | None = None
    points = []
    rows = Experiment.objects.filter(run=run).order_by("created_at", "id")
    for number, row in enumerate(rows, start=1):
        value = next(
            (
                m["value"]
                for m in row.measurements
                if m["objective"] == objective.name and m["status"] == "ok"
            ),
            None,
        )
        if value is not None and (best is None or objective.utility(value) > objective.utility(best)):
            best = value
        point = {
            "number": number,
            "round": row.round,
            "value": value,
            "best": best,
            "conditions": row.planned,
        }
        points.append({**point, "prediction": row.prediction, "replicate": row.replicate})
    return points


def budget_of(run: Run) -> list[dict[str, Any]]:
    """Return each limit that is set: name, limit, used and share from 0 up."""
    budget, spent = Budget.model_validate(run.protocol.get("budget") or {}), spent_of(run)
    return [
        {"name": name, "limit": getattr(budget, name), "used": getattr(spent, name), "share": min(share, 1.0)}
        for name, share in shares(budget, spent).items()
    ]


PAST_RUNS = 10


def use_of_a_round(study: Study) -> dict[str, Any] | None:
    """Return what a round of the study's last language-model runs used: ``tokens``, ``money``, and of how many
    ``runs``; None while there is no such past.

    Money is that of the calls alone: what tools cost is known before.
    """
    if study._state.adding:
        return None
    rows = Run.objects.filter(study=study, reasoner="language_model", round__gt=0).order_by("-created_at")
    spent = [run.spent for run in rows.only("spent")[:PAST_RUNS] if run.spent.get("calls")]
    rounds = sum(int(used.get("rounds", 0)) for used in spent)
    if not rounds:
        return None
    paid = sum(float(used.get("money", 0.0)) - float(used.get("tool_money", 0.0)) for used in spent)
    tokens = sum(int(used.get("tokens", 0)) for used in spent)
    return {"tokens": -(-tokens // rounds), "money": paid / rounds, "runs": len(spent)}


def findings_of(
    studies: QuerySet[Study], *, status: str = "", study: Study | None = None
) -> QuerySet[Finding]:
    """Return the findings of the given studies, newest first."""
    rows = Finding.objects.filter(study__in=studies).select_related("study", "run")
    if status:
        rows = rows.filter(status=status)
    if study is not None:
        rows = rows.filter(study=study)
    return rows.order_by("-created_at", "id")


def with_counts(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Return the studies with ``run_count``, ``open_count`` (gates that wait) and ``experiment_count``."""
    return studies.annotate(
        run_count=Count("runs", distinct=True),
        open_count=Count("runs__gates", filter=Q(runs__gates__status=Gate.Status.OPEN), distinct=True),
    )


def instrument_of(study: Study) -> Dataset | None:
    """Return the dataset that answers the study's experiments, if one does."""
    return study.datasets.filter(role=Dataset.Role.INSTRUMENT).first()


def tool_sources_of(study: Study) -> QuerySet[ToolSource]:
    """Return the study's outside sources, oldest first, with their tools. There are at most twenty."""
    return study.tool_sources.prefetch_related("tools")


def outside_tools_in(studies: QuerySet[Study]) -> QuerySet[SourceTool]:
    """Return the outside tools that are switched on in ``studies``, with source and study, by name."""
    rows = SourceTool.objects.filter(source__study__in=studies, is_on=True)
    return rows.select_related("source__study").order_by("name", "id")


def tool_changes_of(study: Study, *, tool: str = "") -> QuerySet[ToolChange]:
    """Return who changed what of the study's outside tools (or of one), newest first."""
    rows = ToolChange.objects.filter(study=study).order_by("-id")
    return rows.filter(tool=tool) if tool else rows
