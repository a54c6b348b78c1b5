"""The report of a run, and its exports."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from reviews.permissions import run_or_404
from reviews.views.runs import run_page


@require_GET
def run_report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the report as it stands."""
    run = run_or_404(request.user, pk)
    return render(request, "runs/report.html", run_page(request, run) | {"report": "", "exports": []})


@require_GET
def run_export(request: HttpRequest, pk: UUID, format: str) -> HttpResponse:
    """Hand out the run in one of the formats."""
    run_or_404(request.user, pk)
    raise Http404
