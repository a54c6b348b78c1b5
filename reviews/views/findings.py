"""The library of findings across the studies that a person is a member of."""

import json

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from agents.core.errors import BadInput
from agents.memory import search_findings
from agents.models import Finding, FindingChange, Study
from agents.queries import findings_of
from agents.services import export_findings
from reviews.forms.findings import FilterForm
from reviews.permissions import studies_of
from reviews.views.common import answers_faults, page_of

FOUND_AT_MOST = 100
ANY_STATUS = ("all", "waiting")
"""Filters that leave findings of every status."""


@require_GET
def finding_list(request: HttpRequest) -> HttpResponse:
    """Search by meaning, or list the newest."""
    q, status = request.GET.get("q", "").strip()[:400], _status(request)
    studies = studies_of(request.user).order_by("title")
    form = _filters(request, studies)
    problem = ""
    if q:
        found, problem = _search(q, _scope(form, studies), status, _condition(form, status))
        page = page_of(request, found)
    else:
        page = page_of(request, _rows(form, studies, status))
    context = {
        "q": q,
        "status": status,
        "form": form,
        "is_narrowed": any(form.cleaned_data.values()),
        "page": page,
        "problem": problem,
        "states": [
            {"name": "active", "label": _("Hold")},
            {"name": "unreviewed", "label": _("To review")},
            {"name": "waiting", "label": _("Changes to approve")},
            {"name": "vetoed", "label": _("Vetoed ideas")},
            {"name": "superseded", "label": _("Replaced")},
            {"name": "retracted", "label": _("Withdrawn")},
            {"name": "all", "label": _("All")},
        ],
    }
    return render(request, "findings/list.html", context)


@require_GET
@answers_faults
def finding_export(request: HttpRequest) -> HttpResponse:
    """The findings that the filters leave, as JSON that another Daybook takes in."""
    studies = studies_of(request.user).order_by("title")
    form = _filters(request, studies)
    if not form.is_valid():
        raise BadInput(_("The filters are not understood; correct them on the findings page."))
    content = json.dumps(
        export_findings(_rows(form, studies, _status(request))), ensure_ascii=False, indent=1
    )
    answer = HttpResponse(content, content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="findings-{timezone.localdate()}.json"'
    return answer


def _status(request: HttpRequest) -> str:
    status = request.GET.get("status", "active")
    return status if status in (*Finding.Status.values, *ANY_STATUS) else "active"


def _filters(request: HttpRequest, studies: QuerySet[Study]) -> FilterForm:
    domains = Finding.objects.filter(study__in=studies).exclude(domain="").order_by("domain")
    form = FilterForm(
        request.GET, studies=list(studies), domains=list(domains.values_list("domain", flat=True).distinct())
    )
    form.is_valid()
    return form


def _scope(form: FilterForm, studies: QuerySet[Study]) -> QuerySet[Study]:
    slug = form.cleaned_data.get("study")
    return studies.filter(slug=slug) if slug else studies


def _rows(form: FilterForm, studies: QuerySet[Study], status: str) -> QuerySet[Finding]:
    rows = findings_of(_scope(form, studies), status="" if status in ANY_STATUS else status)
    condition = _condition(form, status)
    return rows if condition is None else rows.filter(condition)


def _condition(form: FilterForm, status: str) -> Q | None:
    condition = form.condition()
    if status != "waiting":
        return condition
    changes = Q(changes__state=FindingChange.State.WAITING)
    return changes if condition is None else changes & condition


def _search(q: str, scope: QuerySet[Study], status: str, only: Q | None) -> tuple[list[Finding], str]:
    ids = list(scope.values_list("pk", flat=True))
    if not ids:
        return [], ""
    wanted = list(Finding.Status.values) if status in ANY_STATUS else [status]
    hits = [
        hit
        for each in wanted
        for hit in search_findings(q, study_ids=ids, limit=FOUND_AT_MOST, status=each, only=only)
    ]
    hits.sort(key=lambda hit: -hit.score)
    by_words = any(hit.how == "words" and hit.row.status in ("active", "vetoed") for hit in hits)
    problem = (
        _("The search by meaning does not answer just now; these were found by their words.")
        if by_words
        else ""
    )
    return [hit.row for hit in hits[:FOUND_AT_MOST]], problem
