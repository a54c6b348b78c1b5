"""Sources of a study: documents with their digest, tables, each with what was noticed in it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from agents import services
from agents.core.errors import BadInput, DaybookError
from agents.models import Dataset, DigestItem, Document, Study
from reviews.models import Role
from reviews.permissions import document_or_404, require, studies_of, study_or_404
from reviews.present.sources import document_row, sources_view
from reviews.views.common import answers_faults, said, status_of, wants_fragment
from reviews.views.studies import study_page


def _sources(request: HttpRequest, study: Study, *, problem: str = "", status: int = 200) -> HttpResponse:
    """Answer with the list of sources as it is now, or go back to it."""
    if not wants_fragment(request):
        if problem:
            raise BadInput(problem)
        return redirect(f"/studies/{study.slug}/setup/#sources")
    study.refresh_from_db()
    context = {**study_page(request, study), **sources_view(study), "problem": problem, "with_start": True}
    return render(request, "studies/sources.html", context, status=status)


@require_GET
def document_state(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One document as it is now: asked again while it is being read, so that nothing else on the page moves."""
    document: Document = document_or_404(request.user, pk)
    row = document_row(document, list(document.digest_items.select_related("document").order_by("position")))
    context = {**study_page(request, document.study), "row": row, "with_start": not row["is_reading"]}
    response = render(request, "studies/document.html", context)
    if not row["is_reading"]:
        response["HX-Trigger"] = "digest-ready"
    return response


@require_POST
@answers_faults
def document_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a document in; it is read in the background."""
    study = _editable(request, slug)
    problems = []
    for file in request.FILES.getlist("file"):
        try:
            services.add_document(study, file=file, name=file.name or "", media_type=file.content_type or "")
        except DaybookError as fault:
            problems.append(str(fault))
    if not request.FILES:
        problems.append("Choose a file first.")
    return _sources(request, study, problem=" ".join(problems))


@require_POST
@answers_faults
def dataset_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a table in."""
    study = _editable(request, slug)
    problems = []
    for file in request.FILES.getlist("file"):
        try:
            services.add_dataset(
                study,
                file=file,
                name=file.name or "",
                role=request.POST.get("role") or "reference",
                sheet=request.POST.get("sheet", "")[:31],
            )
        except DaybookError as fault:
            problems.append(str(fault))
    if not request.FILES:
        problems.append("Choose a file first.")
    return _sources(request, study, problem=" ".join(problems))


def _tried(request: HttpRequest, study: Study, act: Callable[[], Any]) -> HttpResponse:
    """Do it and answer with the sources; what was refused stands above them, and nothing on the page is lost."""
    try:
        act()
    except DaybookError as fault:
        if not wants_fragment(request):
            raise
        return _sources(request, study, problem=str(fault), status=status_of(fault))
    return _sources(request, study)


def _editable(request: HttpRequest, slug: str) -> Study:
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.RESEARCHER)
    return study


@require_POST
@answers_faults
def document_verb(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Remove a document, read it again, or use the runs that it prints as past experiments."""
    document: Document = document_or_404(request.user, pk)
    require(request.user, document.study, Role.RESEARCHER)
    acts: dict[str, Callable[[], Any]] = {
        "remove": lambda: services.remove_document(document),
        "again": lambda: services.restart_document(document),
        "past": lambda: services.use_printed_runs(
            document, label=request.POST.get("table", ""), measured=request.POST.get("measured", "")
        ),
    }
    if verb not in acts:
        raise Http404
    return _tried(request, document.study, acts[verb])


@require_POST
@answers_faults
def dataset_verb(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Remove a table, or say what it is for and which column holds what."""
    dataset = (
        Dataset.objects.filter(study__in=studies_of(request.user), pk=pk).select_related("study").first()
    )
    if dataset is None:
        raise Http404
    require(request.user, dataset.study, Role.RESEARCHER)
    columns = {
        k.removeprefix("col."): v
        for k, v in request.POST.items()
        if k.startswith("col.") and v and isinstance(v, str)
    }
    acts: dict[str, Callable[[], Any]] = {
        "remove": lambda: services.remove_dataset(dataset),
        "map": lambda: services.map_dataset(
            dataset, role=request.POST.get("role", dataset.role), columns=columns
        ),
    }
    if verb not in acts:
        raise Http404
    return _tried(request, dataset.study, acts[verb])


@require_POST
@answers_faults
def item_edit(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Keep, change or drop a digest item; limits follow into the study at once."""
    item = (
        DigestItem.objects.filter(study__in=studies_of(request.user), pk=pk)
        .select_related("study", "document")
        .first()
    )
    if item is None:
        raise Http404
    require(request.user, item.study, Role.RESEARCHER)
    changes: dict[str, Any] = {"status": request.POST.get("status", "")}
    if "text" in request.POST:
        changes["text"] = request.POST["text"]
    context = {"item": item, "may_edit": True, "study": item.study}
    try:
        item = services.edit_item(item, **changes)
    except DaybookError as fault:
        if not wants_fragment(request):
            raise
        context |= {"item_problem": str(fault), "typed": changes.get("text", item.text)}
        return render(request, "studies/item.html", context, status=status_of(fault))
    if wants_fragment(request):
        return render(request, "studies/item.html", context)
    said(request, "Saved.")
    return redirect(f"/studies/{item.study.slug}/setup/#item-{item.pk}")
