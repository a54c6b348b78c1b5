"""The report of a run as it stands, and the files that leave with it."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from reviews.exports import FORMATS, export_run
from reviews.exports.record import record_of
from reviews.exports.report import report_of
from reviews.permissions import run_or_404
from reviews.views.runs import run_page


@require_GET
def run_report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the report, made from the same blocks as the files."""
    run = run_or_404(request.user, pk)
    context = run_page(request, run) | {"document": report_of(record_of(run)), "formats": FORMATS.values()}
    return render(request, "runs/report.html", context)


@require_GET
def run_export(request: HttpRequest, pk: UUID, format: str) -> HttpResponse:
    """Hand out the run as a file; it is never shown in the browser under this site's name."""
    run = run_or_404(request.user, pk)
    if format not in FORMATS:
        raise Http404
    export = export_run(run, format)
    response = HttpResponse(export.content, content_type=export.media_type)
    response["Content-Disposition"] = (
        content_disposition_header(as_attachment=True, filename=export.name) or ""
    )
    return response
