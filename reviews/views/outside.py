"""Outside sources of a study's tools: what they are, adding one, what it offers, each tool switched by hand."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.core.errors import BadInput, DaybookError
from agents.models import SourceTool, Study, ToolSource
from agents.queries import tool_changes_of, tool_sources_of
from agents.services import outside
from reviews.forms.outside import FORMS, SourceForm, ToolForm
from reviews.forms.trials import TryForm
from reviews.models import Role
from reviews.permissions import can, require, studies_of, study_or_404
from reviews.present.outside import change_row, source_row, spec_of_row, tool_row
from reviews.queries import recent_calls
from reviews.views.common import answers_faults, page_of, person, said
from reviews.views.studies import study_page
from reviews.views.tools import shown, tried


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
        "history": history_page(request, study),
        "engines": engines(),
        "is_forbidden": settings.DAYBOOK_SANDBOX == "off",
    }
    return render(request, "outside/list.html", context, status=status)


def history_page(request: HttpRequest, study: Study, *, tool: str = "") -> Page[Any]:
    """Return the asked page of who changed what of the study's tools, or of one, newest first."""
    page = page_of(request, tool_changes_of(study, tool=tool), name="history")
    page.object_list = [change_row(row) for row in page.object_list]
    return page


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
        outside.remove_source(source, by=request.user.get_username())
        said(request, _("%(name)s was removed; its tools cannot be called any more.") % {"name": source.name})
        return redirect("study-tools", slug=source.study.slug)
    raise Http404


@require_http_methods(["GET", "POST"])
@answers_faults
def outside_tool(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One outside tool: schemas, its last calls in the study, its history, and a form to try it where that changes
    nothing. Whoever tries it has read the arguments: that takes the right to review."""
    tool = _tool_or_404(request, pk)
    study, user = tool.source.study, person(request)
    spec = spec_of_row(tool)
    if request.method == "POST":
        require(user, study, Role.REVIEWER)
    why_not = outside.why_not_tried(tool) or (
        "" if can(user, study, Role.REVIEWER) else _("Reviewers can try it.")
    )
    form = TryForm(request.POST if request.method == "POST" else None, spec=spec) if not why_not else None
    by = user.get_username()
    result = None
    if request.method == "POST":
        result = tried(form, lambda arguments: outside.try_tool(tool, arguments, by=by))
    context = study_page(request, study) | {
        "tool": tool,
        "spec": spec,
        "row": tool_row(tool),
        "schemas": [(_("Takes"), shown(spec.input_schema)), (_("Gives"), shown(spec.output_schema))],
        "form": form,
        "try_at": reverse("outside-tool", args=[pk]),
        "is_noted": True,
        "why_not": why_not,
        "result": result,
        "calls": recent_calls(user, tool.name, study=study),
        "history": history_page(request, study, tool=tool.name),
    }
    is_bad = request.method == "POST" and result is None
    return render(request, "outside/tool.html", context, status=422 if is_bad else 200)


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
    is_on = request.POST.get("is_on") == "1"
    outside.let_run_code(study, is_on=is_on, by=request.user.get_username())
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
