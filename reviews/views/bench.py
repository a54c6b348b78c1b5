"""What waits at the bench: the list, sheets to print, the table to fill in and its way back."""

from typing import Any
from uuid import UUID

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from agents.core.errors import BadInput
from agents.models import Gate
from agents.store.artifacts import artifact_path, read_upload, store_bytes
from reviews.bench.importing import Outcome, import_filled
from reviews.bench.sheet import LAYOUTS, MOST_SHEETS, sheet_page, sheets_of
from reviews.bench.table import write_template
from reviews.bench.tasks import waiting_tasks
from reviews.models import Review
from reviews.permissions import gate_or_404, studies_of
from reviews.views.common import answers_faults, page_of, person

TABLE_LIMIT = 5 * 1024 * 1024
TICKET = "bench-table"
TICKET_SECONDS = 24 * 3600


@require_GET
def bench_list(request: HttpRequest) -> HttpResponse:
    """List the tasks that wait at the bench, those that are due first at the top."""
    page = page_of(request, _tasks(request))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "page": page,
        "studies": studies_of(request.user).order_by("title"),
        "study_slug": request.GET.get("study", ""),
        "run": request.GET.get("run", ""),
        "mine": request.GET.get("mine", ""),
        "query": f"?{query.urlencode()}" if query else "",
    }
    return render(request, "bench/list.html", context)


@require_GET
@answers_faults
def bench_sheet(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The sheet of one task, to print; also after it was answered."""
    gate = gate_or_404(request.user, pk)
    rows = Review.objects.filter(pk=gate.pk).select_related("gate__bench_task__assignee", "run__study")
    if gate.kind != "result":
        raise Http404
    return HttpResponse(
        sheet_page(
            sheets_of(rows, link=_link(request)), layout="each", back=reverse("review", args=[gate.pk])
        )
    )


@require_GET
@answers_faults
def bench_sheets(request: HttpRequest) -> HttpResponse:
    """The sheets of all tasks that wait: one page each, or one table."""
    layout = request.GET.get("layout", "each")
    rows = _tasks(request)
    sheets = sheets_of(rows[:MOST_SHEETS], link=_link(request))
    layout = layout if layout in LAYOUTS else "each"
    return HttpResponse(sheet_page(sheets, layout=layout, back=reverse("bench"), waiting=rows.count()))


@require_GET
@answers_faults
def bench_table(request: HttpRequest) -> HttpResponse:
    """The table to fill in for all tasks that wait."""
    response = HttpResponse(write_template(_tasks(request)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="daybook-bench.csv"'
    return response


@require_http_methods(["GET", "POST"])
@answers_faults
def bench_import(request: HttpRequest) -> HttpResponse:
    """Take a filled table: check it and show what would be filed; file it when that is confirmed."""
    if request.method == "GET":
        return render(request, "bench/import.html", {})
    try:
        if "ticket" in request.POST:
            return _file_table(request)
        return _check_table(request)
    except BadInput as fault:
        return render(request, "bench/import.html", {"problem": str(fault)}, status=422)


def _check_table(request: HttpRequest) -> HttpResponse:
    file = request.FILES.get("file")
    if file is None:
        raise BadInput(_("Choose a file first."))
    content = read_upload(file, limit=TABLE_LIMIT, name=file.name or "table.csv")
    outcomes = import_filled(content, name=file.name or "table.csv", user=person(request), dry=True)
    kept = store_bytes(content, media_type="text/csv")
    ticket = {"hash": kept.content_hash, "name": file.name, "user": request.user.pk}
    return render(
        request, "bench/import.html", _shown(outcomes) | {"ticket": signing.dumps(ticket, salt=TICKET)}
    )


def _file_table(request: HttpRequest) -> HttpResponse:
    """File the table that was shown: the ticket names it, and only for who uploaded it."""
    try:
        ticket = signing.loads(request.POST["ticket"], salt=TICKET, max_age=TICKET_SECONDS)
    except signing.BadSignature:
        raise BadInput(_("This check is too old. Choose the file again; nothing was filed.")) from None
    if ticket["user"] != request.user.pk:
        raise BadInput(_("Somebody else checked this table. Choose the file again; nothing was filed."))
    content = artifact_path(ticket["hash"]).read_bytes()
    outcomes = import_filled(content, name=ticket["name"] or "table.csv", user=person(request))
    return render(request, "bench/import.html", _shown(outcomes) | {"is_done": True})


def _shown(outcomes: list[Outcome]) -> dict[str, Any]:
    states = ("ready", "filed", "already", "empty", "refused")
    return {
        "outcomes": outcomes,
        "counts": {state: sum(o.state == state for o in outcomes) for state in states},
    }


def _tasks(request: HttpRequest) -> Any:
    return waiting_tasks(
        request.user,
        study_slug=request.GET.get("study", ""),
        run_id=_uuid(request.GET.get("run", "")),
        mine=bool(request.GET.get("mine")),
    )


def _uuid(text: str) -> UUID | None:
    if not text:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None


def _link(request: HttpRequest) -> Any:
    def link(gate: Gate) -> str:
        return request.build_absolute_uri(reverse("review", args=[gate.pk]))

    return link
