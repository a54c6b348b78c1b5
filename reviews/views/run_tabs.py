"""The tabs of a run that look back: timeline, graph, memory, data, decisions."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agents.core.events import KINDS
from agents.core.science import Constraint, Objective, Parameter
from agents.library import history_of
from agents.models import Event, Experiment, Run
from agents.queries import experiments_of
from agents.store.findings import active_of
from reviews.models import Decision
from reviews.permissions import run_or_404
from reviews.present.charts import Box, against_parameter, best_so_far, predicted_against_measured
from reviews.present.diffs import difference
from reviews.present.graph import drawing
from reviews.present.ledger import table_row
from reviews.present.memory import KEPT, next_prompt
from reviews.present.remembering import remembering_of
from reviews.present.rounds import by_round
from reviews.present.sections import where_cut, why
from reviews.present.state import measured_of, objective_of
from reviews.present.trust import record_of
from reviews.views.cards import edits_of
from reviews.views.common import page_of
from reviews.views.runs import round_before, run_page

EVENTS_PER_PAGE = 100
SEQ_DIGITS = 17
"""A longer number is no event's: the database could not hold it."""

ROWS_PER_PAGE = 50
LARGE = Box(width=560, height=300)


@require_GET
def run_timeline(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Every event of the run, oldest first, by page; one kind or all."""
    run = run_or_404(request.user, pk)
    kind, with_quiet = request.GET.get("kind", ""), bool(request.GET.get("quiet"))
    rows = Event.objects.filter(run=run).order_by("seq")
    if kind in KINDS:
        rows = rows.filter(kind=kind)
    elif not with_quiet:
        rows = rows.exclude(kind__in=[name for name, known in KINDS.items() if known.is_quiet])
    page = Paginator(rows, EVENTS_PER_PAGE).get_page(_page_number(request, rows))
    listed = list(page.object_list)
    before = round_before(run, listed[0].seq) if listed else 0
    context = run_page(request, run) | {
        "page": page,
        "rounds": by_round(listed, before=before),
        "kinds": sorted(KINDS),
        "kind": kind,
        "with_quiet": with_quiet,
    }
    return render(request, "runs/timeline.html", context)


def _page_number(request: HttpRequest, rows: QuerySet[Event]) -> str:
    """Return the page asked for: by number, or the one that holds ``event``."""
    seq = request.GET.get("event", "")
    if not seq.isdigit() or len(seq) > SEQ_DIGITS:
        return request.GET.get("page", "1")
    return str((rows.filter(seq__lt=int(seq)).count()) // EVENTS_PER_PAGE + 1)


@require_GET
def run_graph(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The agent's graph: where the run is and how often each node worked."""
    run = run_or_404(request.user, pk)
    rows = Event.objects.filter(run=run).order_by()
    counts = dict(rows.values_list("kind").annotate(n=Count("id")).values_list("kind", "n"))
    last = Event.objects.filter(run=run, seq=run.seq).values_list("kind", flat=True).first() or ""
    nodes, edges = drawing(counts, last, has_ended=run.has_ended)
    return render(request, "runs/graph.html", run_page(request, run) | {"nodes": nodes, "edges": edges})


@require_GET
def run_memory(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What the run holds in mind: findings, the hypotheses one after another, what a step is told."""
    run = run_or_404(request.user, pk)
    rows = run.findings.select_related("study", "run").prefetch_related("versions")
    findings = page_of(request, rows.order_by("-confidence", "-support", "number"))
    parts = next_prompt(run)
    told = {int(finding.id[1:]) for finding in active_of(run.pk)[:KEPT]}
    context = run_page(request, run) | {
        "findings": findings,
        "rows": [(row, row.number in told, history_of(row)) for row in findings.object_list],
        "remembering": remembering_of(run),
        "hypotheses": hypotheses_of(run),
        "steps": run.state.get("steps", [])[::-1],
        "sections": [(part, why(part.name), where_cut(part.name)) for part in parts],
        "next_tokens": sum(part.tokens for part in parts),
        "stable_tokens": sum(part.tokens for part in parts if part.is_stable),
    }
    return render(request, "runs/memory.html", context)


def hypotheses_of(run: Run) -> list[dict[str, Any]]:
    """Return the run's hypotheses, newest first, each with what changed from the one before."""
    rows = run.state.get("hypotheses", [])
    shown = []
    for number, row in enumerate(rows):
        before = rows[number - 1]["text"] if number else ""
        shown.append({**row, "change": difference(before, row["text"]) if before else []})
    return shown[::-1]


@require_GET
def run_data(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The run's experiments as a table and as plots."""
    run = run_or_404(request.user, pk)
    rows = list(experiments_of(run.study_id, run=run).select_related("run"))
    page = page_of(request, rows[::-1], per=ROWS_PER_PAGE)
    parameters = [
        Parameter.model_validate(row) for row in (run.protocol.get("space") or {}).get("parameters", [])
    ]
    objectives = [Objective.model_validate(row) for row in run.protocol.get("objectives", [])]
    constraints = [Constraint.model_validate(row) for row in run.protocol.get("constraints", [])]
    context = run_page(request, run) | {
        "page": page,
        "columns": parameters,
        "objectives": objectives,
        "table": [table_row(row, parameters, objectives, constraints) for row in page.object_list],
        **plots_of(run, rows, parameters),
    }
    return render(request, "runs/data.html", context)


def plots_of(run: Run, rows: list[Experiment], parameters: list[Parameter]) -> dict[str, Any]:
    """Return the plots by the first objective: best so far, predicted against measured, by parameter."""
    objective = objective_of(run.protocol)
    if objective is None:
        return {}
    measured = measured_of(rows, objective)
    by_parameter = []
    for parameter in parameters:
        points = [point for row in rows if (point := _point(row, parameter.name, objective)) is not None]
        chart = against_parameter(points, unit=objective.unit)
        if chart is not None:
            by_parameter.append((parameter.title, chart))
    return {
        "objective": objective,
        "best": best_so_far(measured, unit=objective.unit, utility=objective.utility, box=LARGE),
        "predicted": predicted_against_measured(measured, unit=objective.unit, box=LARGE),
        "parameters": by_parameter,
    }


def _point(row: Experiment, parameter: str, objective: Objective) -> tuple[float | str, float, str] | None:
    level = {**row.planned, **row.actual}.get(parameter)
    value = next(
        (m["value"] for m in row.measurements if m["objective"] == objective.name and m["status"] == "ok"),
        None,
    )
    if level is None or value is None:
        return None
    return level, float(value), f"{level}"


@require_GET
def run_decisions(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Who decided what, when and why, with both sides of every edit."""
    run = run_or_404(request.user, pk)
    rows = Decision.objects.filter(review__run=run).select_related("review__gate").order_by("-at", "-id")
    rows = rows.prefetch_related("review__signatures")
    page = page_of(request, rows)
    for row in page.object_list:
        row.edits = edits_of(row)
    context = run_page(request, run) | {"page": page, "record": record_of(run)}
    return render(request, "runs/decisions.html", context)
