"""Runs of one study side by side, and going on from the better one."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agents.models import Run
from agents.siblings import MOST, Round, last_round, rounds_of, sides_of
from reviews.permissions import run_or_404
from reviews.views.common import page_of
from reviews.views.runs import run_page

ROUNDS_PER_PAGE = 20


@require_GET
def run_compare(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The run beside those that ``with`` names; a fork beside the run it comes from, until somebody chooses."""
    run = run_or_404(request.user, pk)
    siblings = (
        Run.objects.filter(study_id=run.study_id).exclude(pk=run.pk).defer("protocol", "state", "start")
    )
    others = _chosen(request, run)
    runs = [run, *others]
    numbers = page_of(request, list(range(1, last_round(runs) + 1)), per=ROUNDS_PER_PAGE)
    shown = list(numbers.object_list)
    rounds = rounds_of(runs, first=shown[0], last=shown[-1]) if shown else {}
    context = run_page(request, run) | {
        "sides": sides_of(runs),
        "siblings": page_of(request, siblings.order_by("-number"), name="siblings"),
        "chosen": {other.pk for other in others},
        "most": MOST - 1,
        "page": numbers,
        "rounds": [(number, _cells(by, runs), _differs(by, runs)) for number, by in rounds.items()],
    }
    return render(request, "runs/compare.html", context)


def _cells(by: dict[UUID, Round], runs: list[Run]) -> list[tuple[int, Round | None]]:
    return [(run.number, by.get(run.pk)) for run in runs]


def _differs(by: dict[UUID, Round], runs: list[Run]) -> bool:
    return len(runs) > 1 and len({by[run.pk].title if run.pk in by else None for run in runs}) > 1


def _chosen(request: HttpRequest, run: Run) -> list[Run]:
    """Return the other runs, oldest first: those asked for, else the one this was forked from, else the newest."""
    rows = Run.objects.filter(study_id=run.study_id).exclude(pk=run.pk)
    if asked := request.GET.getlist("with"):
        try:
            wanted = {UUID(text) for text in asked}
        except ValueError:
            raise Http404 from None
        found = list(rows.filter(pk__in=wanted).order_by("number"))
        if len(found) < len(wanted):
            raise Http404
        return found[: MOST - 1]
    if run.parent_id and (parent := rows.filter(pk=run.parent_id).first()):
        return [parent]
    return list(rows.order_by("-number")[:1])
