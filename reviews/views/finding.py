"""One finding: where it comes from, what it said before, what it was used for, and what is done to it."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.core.errors import BadInput, Conflict
from agents.core.findings_file import SIZE_LIMIT
from agents.library import history_of, near_duplicates, runs_using
from agents.memory import search_findings
from agents.models import Finding, FindingChange
from agents.services import waiting_change
from reviews.forms.findings import AcceptForm, CorrectionForm, ImportForm, PairForm, ReasonForm
from reviews.library import VERBS, change, decide_change, distil, take_in
from reviews.models import Role
from reviews.permissions import can, finding_or_404, require, studies_of, study_or_404
from reviews.present.diffs import difference
from reviews.present.provenance import chain_of
from reviews.views.common import answers_faults, page_of, person, said, status_of

OFFERED = 8
FORMS: dict[str, type[ReasonForm]] = {
    "edit": CorrectionForm,
    "retract": ReasonForm,
    "supersede": PairForm,
    "merge": PairForm,
    "accept": AcceptForm,
}


@require_GET
def finding_detail(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One finding with its evidence, its history and what may be done."""
    return _page(request, finding_or_404(request.user, pk))


@require_POST
@answers_faults
def finding_verb(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Correct, withdraw, replace, merge or accept; what was typed comes back with the reason when it cannot be."""
    finding = finding_or_404(request.user, pk)
    if verb not in VERBS:
        raise Http404
    require(request.user, finding.study, Role.REVIEWER)
    form = FORMS[verb](request.POST)
    if not form.is_valid():
        return _page(request, finding, bound=form, doing=verb, status=422)
    try:
        change(finding, verb, user=person(request), **form.cleaned_data)
    except (BadInput, Conflict) as fault:
        form.add_error(None, str(fault))
        finding.refresh_from_db()
        return _page(request, finding, bound=form, doing=verb, status=status_of(fault))
    waits = verb != "retract" and waiting_change(finding) is not None
    said(
        request,
        _("The change waits: it holds once a second person has approved it.") if waits else _done(verb),
    )
    return redirect("finding", pk=pk)


@require_POST
@answers_faults
def finding_change(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Approve or refuse the change that waits for a second person."""
    finding = finding_or_404(request.user, pk)
    if verb not in ("approve", "refuse"):
        raise Http404
    require(request.user, finding.study, Role.REVIEWER)
    approved = verb == "approve"
    reason = request.POST.get("reason", "")
    decide_change(finding, user=person(request), approve=approved, reason=reason)
    said(request, _("The change was approved and holds.") if approved else _("The change was refused."))
    return redirect("finding", pk=pk)


def _done(verb: str) -> str:
    return {
        "edit": _("The finding was corrected; what it said before is kept."),
        "retract": _("The finding was withdrawn; no search and no run is told of it any more."),
        "supersede": _("The finding was replaced."),
        "merge": _("The two findings are one now, with the evidence of both."),
        "accept": _("The finding was accepted; it is found and told from now on."),
    }[verb]


def _page(
    request: HttpRequest,
    finding: Finding,
    *,
    bound: forms.Form | None = None,
    doing: str = "",
    status: int = 200,
) -> HttpResponse:
    history = page_of(request, history_of(finding), per=20)
    changes = [
        (each, difference(each.before, each.text) if each.before != each.text else [])
        for each in history.object_list
    ]
    duplicates = near_duplicates(finding)
    waiting = waiting_change(finding)
    may = can(request.user, finding.study, Role.REVIEWER)
    context: dict[str, Any] = {
        "finding": finding,
        "chain": chain_of(finding),
        "history": history,
        "changes": changes,
        "duplicates": duplicates,
        "uses": runs_using(finding),
        "successor": _successor(finding),
        "waiting": waiting,
        "proposed": _proposed(finding, waiting),
        "is_mine": waiting is not None and waiting.by == person(request).get_username(),
        "may_change": may,
        "doing": doing,
        "form": bound,
        "correction": bound if doing == "edit" else _correction(finding),
    }
    if may:
        find = request.GET.get("find", "").strip()[:400]
        context |= {"find": find, "others": _others(finding, duplicates, find)}
    return render(request, "findings/detail.html", context, status=status)


def _proposed(finding: Finding, waiting: FindingChange | None) -> dict[str, Any]:
    """Return what a waiting change would make of the finding: its words as a difference, or the other finding."""
    if waiting is None:
        return {}
    given = waiting.given
    text = given.get("text", finding.text)
    other = given.get("other") or given.get("successor")
    rows = Finding.objects.filter(pk=other, study_id=finding.study_id) if other else Finding.objects.none()
    return {
        "text": difference(finding.text, text) if text != finding.text else [],
        "scope": given.get("scope", finding.scope),
        "reach": given.get("reach", ""),
        "other": rows.first(),
    }


def _correction(finding: Finding) -> CorrectionForm:
    return CorrectionForm(
        initial={
            "text": finding.text,
            "scope": finding.scope,
            "reach": finding.reach,
            "seen": finding.version,
        }
    )


def _successor(finding: Finding) -> Finding | None:
    try:
        pk = UUID(finding.replaced_by)
    except ValueError:
        return None
    return Finding.objects.filter(pk=pk, study_id=finding.study_id).first()


def _others(finding: Finding, duplicates: list[Finding], find: str) -> list[Finding]:
    """Return findings that may take its place: those searched for, else what is alike, then the newest."""
    if find:
        hits = search_findings(find, study_ids=[finding.study_id], limit=OFFERED + 1)
        return [hit.row for hit in hits if hit.row.pk != finding.pk][:OFFERED]
    known = {row.pk for row in duplicates} | {finding.pk}
    rows = Finding.objects.filter(study_id=finding.study_id, status="active").exclude(pk__in=known)
    return [*duplicates, *rows.select_related("run")[: OFFERED - len(duplicates)]]


@require_POST
@answers_faults
def rules_distil(request: HttpRequest) -> HttpResponse:
    """File what several runs of a study show as rules, which wait for a review."""
    user = person(request)
    study = study_or_404(user, request.POST.get("study", ""))
    made = distil(study, user=user)
    told = ngettext(
        "%(n)s rule was distilled from the experiments of several runs. It waits for a review.",
        "%(n)s rules were distilled from the experiments of several runs. They wait for a review.",
        len(made),
    )
    nothing = _("The experiments of this study's runs show nothing in more than one run that is no rule yet.")
    said(request, told % {"n": len(made)} if made else nothing)
    return redirect(f"{reverse('findings')}?status=unreviewed&kind=rule&study={study.slug}")


@require_http_methods(["GET", "HEAD", "POST"])
@answers_faults
def finding_import(request: HttpRequest) -> HttpResponse:
    """Take in a file of findings; they wait as unreviewed until a reviewer accepts each."""
    user = person(request)
    studies = [study for study in studies_of(user).order_by("title") if can(user, study, Role.RESEARCHER)]
    if request.method != "POST":
        initial = {"study": request.GET.get("study", "")}
        return render(request, "findings/import.html", {"form": ImportForm(studies=studies, initial=initial)})
    form = ImportForm(request.POST, request.FILES, studies=studies)
    if not form.is_valid():
        return render(request, "findings/import.html", {"form": form}, status=422)
    study, file = study_or_404(user, form.cleaned_data["study"]), form.cleaned_data["file"]
    try:
        done = take_in(study, file.read(SIZE_LIMIT + 1), user=user, name=file.name or "")
    except BadInput as fault:
        form.add_error("file", str(fault))
        return render(request, "findings/import.html", {"form": form}, status=422)
    said(
        request,
        _("%(added)s findings were imported, %(known)s were here already. They wait for a review.")
        % {"added": len(done.added), "known": done.known},
    )
    return redirect(f"{request.path.removesuffix('import/')}?status=unreviewed&study={study.slug}")
