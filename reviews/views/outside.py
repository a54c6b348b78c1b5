"""Outside sources of a study's tools: what they are, adding one, what it offers, each tool switched by hand."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents.core.errors import BadInput, DaybookError
from agents.models import SourceTool, Study, ToolSource
from agents.queries import tool_sources_of
from agents.services import outside
from reviews.forms.outside import FORMS, SourceForm, ToolForm
from reviews.models import Role
from reviews.permissions import require, studies_of, study_or_404
from reviews.present.outside import source_row, tool_row
from reviews.views.common import answers_faults, page_of, person, said
from reviews.views.studies import study_page


@require_GET
@answers_faults
def study_tools(request: HttpRequest, slug: str) -> HttpResponse:
    """The study's outside sources, the sandbox, and the forms that add a source."""
    return _page(request, study_or_404(request.user, slug))


def _page(
    request: HttpRequest, study: Study, *, bound: SourceForm | None = None, kind: str = "", status: int = 200
) -> HttpResponse:
    from agents.tools.sandbox.engines import engines

    blank = {name: form(auto_id=f"{name}-%s") for name, form in FORMS.items()}
    context = study_page(request, study) | {
        "sources": [source_row(row) for row in tool_sources_of(study)],
        "forms": {**blank, **({kind: bound} if bound is not None else {})},
        "opened": kind,
        "engines": engines(),
        "is_forbidden": settings.DAYBOOK_SANDBOX == "off",
    }
    return render(request, "outside/list.html", context, status=status)


@require_POST
@answers_faults
def source_add(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Add a source: it is looked at before it is stored, and all its tools are off."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.OWNER)
    if kind not in FORMS:
        raise Http404
    form = FORMS[kind](request.POST, request.FILES, auto_id=f"{kind}-%s")
    if not form.is_valid():
        return _page(request, study, bound=form, kind=kind, status=422)
    user = person(request)
    try:
        row = outside.add_source(study, kind=kind, by=user, is_admin=user.is_superuser, **form.config())
    except DaybookError as fault:
        form.add_error(None, str(fault))
        return _page(request, study, bound=form, kind=kind, status=422)
    said(
        request,
        _("%(name)s was added. All its tools are off: switch on what runs may use.") % {"name": row.name},
    )
    return redirect("source", pk=row.pk)


@require_GET
@answers_faults
def source_detail(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One source: each tool as its source describes it, what changed, and its switch."""
    return _source_page(request, _source_or_404(request, pk))


def _source_page(
    request: HttpRequest, source: ToolSource, *, problem: str = "", status: int = 200
) -> HttpResponse:
    page = page_of(request, source.tools.order_by("-is_on", "remote"), per=20)
    context = study_page(request, source.study) | {
        "source": source_row(source),
        "page": page,
        "rows": [tool_row(tool) for tool in page.object_list],
        "problem": problem,
    }
    return render(request, "outside/source.html", context, status=status)


@require_POST
@answers_faults
def source_verb(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Look at a source again, or remove it."""
    source = _source_or_404(request, pk)
    require(request.user, source.study, Role.OWNER)
    if verb == "check":
        checked = outside.check_source(source)
        said(request, _("Looked at %(name)s again.") % {"name": checked.name})
        return redirect("source", pk=pk)
    if verb == "remove":
        outside.remove_source(source)
        said(request, _("%(name)s was removed; its tools cannot be called any more.") % {"name": source.name})
        return redirect("study-tools", slug=source.study.slug)
    raise Http404


@require_POST
@answers_faults
def source_tool(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Switch a tool on or off, save what is declared of it, or accept what changed."""
    tool = _tool_or_404(request, pk)
    require(request.user, tool.source.study, Role.OWNER)
    by = request.user.get_username()
    acts: dict[str, Callable[[], SourceTool]] = {
        "on": lambda: outside.set_tool(tool, is_on=True, by=by, declared=_declared(request)),
        "off": lambda: outside.set_tool(tool, is_on=False, by=by),
        "accept": lambda: outside.accept_change(tool, by=by, pin=request.POST.get("pin", "")),
    }
    if verb not in acts:
        raise Http404
    try:
        acts[verb]()
    except BadInput as fault:
        return _source_page(request, tool.source, problem=str(fault), status=422)
    return redirect("source", pk=tool.source_id)


def _declared(request: HttpRequest) -> dict[str, Any]:
    form = ToolForm(request.POST)
    if not form.is_valid():
        told = [
            f"{form.fields[name].label}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()
        ]
        raise BadInput(" ".join(told))
    return dict(form.cleaned_data)


@require_POST
@answers_faults
def study_code(request: HttpRequest, slug: str) -> HttpResponse:
    """Let runs of the study execute model-written Python in the sandbox, or no longer."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.OWNER)
    outside.let_run_code(study, is_on=request.POST.get("is_on") == "1")
    return redirect("study-tools", slug=slug)


def _source_or_404(request: HttpRequest, pk: UUID) -> ToolSource:
    found = (
        ToolSource.objects.filter(study__in=studies_of(request.user), pk=pk).select_related("study").first()
    )
    if found is None:
        raise Http404
    return found


def _tool_or_404(request: HttpRequest, pk: UUID) -> SourceTool:
    rows = SourceTool.objects.filter(source__study__in=studies_of(request.user), pk=pk)
    found = rows.select_related("source__study").first()
    if found is None:
        raise Http404
    return found
