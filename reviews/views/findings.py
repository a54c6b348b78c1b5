"""The library of findings across the studies that a person is a member of."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from agents.memory import search_findings
from agents.models import Finding, Study
from agents.queries import findings_of
from reviews.permissions import finding_or_404, studies_of
from reviews.views.common import page_of

FOUND_AT_MOST = 40


@require_GET
def finding_list(request: HttpRequest) -> HttpResponse:
    """Search by meaning, or list the newest."""
    q, slug = request.GET.get("q", "").strip()[:400], request.GET.get("study", "")
    status = request.GET.get("status", "active")
    status = status if status in Finding.Status.values or status == "all" else "active"
    studies = studies_of(request.user).order_by("title")
    scope = studies.filter(slug=slug) if slug else studies
    problem = ""
    if q:
        found, problem = _search(q, scope, status)
        page = page_of(request, found)
    else:
        page = page_of(request, findings_of(scope, status="" if status == "all" else status))
    context = {
        "q": q,
        "status": status,
        "study_slug": slug,
        "studies": studies,
        "page": page,
        "problem": problem,
        "states": [
            {"name": "active", "label": _("Hold")},
            {"name": "vetoed", "label": _("Vetoed ideas")},
            {"name": "superseded", "label": _("Replaced")},
            {"name": "retracted", "label": _("Withdrawn")},
            {"name": "all", "label": _("All")},
        ],
    }
    return render(request, "findings/list.html", context)


def _search(q: str, scope: QuerySet[Study], status: str) -> tuple[list[Finding], str]:
    ids = list(scope.values_list("pk", flat=True))
    if not ids:
        return [], ""
    wanted = [status] if status != "all" else list(Finding.Status.values)
    hits = [
        hit for each in wanted for hit in search_findings(q, study_ids=ids, limit=FOUND_AT_MOST, status=each)
    ]
    hits.sort(key=lambda hit: -hit.score)
    by_words = any(hit.how == "words" for hit in hits)
    problem = (
        _("The search by meaning does not answer just now; these were found by their words.")
        if by_words
        else ""
    )
    return [hit.row for hit in hits[:FOUND_AT_MOST]], problem


@require_GET
def finding_detail(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One finding with its evidence and what it said before."""
    finding = finding_or_404(request.user, pk)
    context = {
        "finding": finding,
        "evidence": finding.evidence,
        "versions": finding.versions.order_by("-version"),
    }
    return render(request, "findings/detail.html", context)
