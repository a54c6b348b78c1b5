"""The registry of tools as people see it: what each takes and gives, and whether it is well."""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from agents.core.errors import BadInput, Refused
from agents.core.tools import ToolResult, ToolSpec
from agents.queries import outside_tools_in
from agents.services.trials import try_tool
from agents.wiring import registry, tool_health
from reviews.forms.decide import ARGUMENT, take_problems
from reviews.forms.trials import TryForm
from reviews.permissions import studies_of
from reviews.queries import recent_calls
from reviews.views.common import page_of, person

TOOLS_PER_PAGE = 60


@dataclass(frozen=True)
class Shown:
    """A JSON Schema as a table, and as it is."""

    rows: list[dict[str, Any]]
    json: str


def shown(schema: dict[str, Any]) -> Shown:
    """Return what a tool takes or gives, one row a field."""
    required = schema.get("required", [])
    rows = [
        {
            "name": name,
            "type": _kind(field),
            "unit": field.get("unit", ""),
            "meaning": field.get("description") or field.get("title", ""),
            "required": name in required,
        }
        for name, field in schema.get("properties", {}).items()
    ]
    return Shown(rows, json.dumps(schema, indent=2, ensure_ascii=False))


def _kind(field: dict[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(str(value) for value in field["enum"][:8]) + (" …" if len(field["enum"]) > 8 else "")
    bounds = [str(field[key]) for key in ("minimum", "maximum") if key in field]
    return f"{field.get('type', '')} {' – '.join(bounds)}".strip()


@require_GET
def tool_list(request: HttpRequest) -> HttpResponse:
    """List the installed tools by field, with plug-ins that could not be loaded; ``q`` looks for some of them."""
    asked = request.GET.get("q", "").strip()[:200]
    specs = sorted(found_tools(asked), key=lambda spec: (spec.category, spec.name))
    page = page_of(request, specs, per=TOOLS_PER_PAGE)
    health = tool_health()
    rows = [
        {"spec": spec, "state": health[spec.name].health().state if spec.name in health else ""}
        for spec in page
    ]
    outside = page_of(request, outside_tools_in(studies_of(request.user)), name="outside")
    context = {
        "rows": rows,
        "page": page,
        "asked": asked,
        "problems": registry().problems,
        "outside": outside,
    }
    return render(request, "tools/list.html", context)


def found_tools(asked: str) -> list[ToolSpec]:
    """Return the installed tools whose name, field or description holds every word of ``asked``."""
    words = asked.casefold().split()
    specs = [tool.spec for tool in registry().tools.values()]
    return [
        spec
        for spec in specs
        if all(
            word in f"{spec.name} {spec.title} {spec.category} {spec.description}".casefold()
            for word in words
        )
    ]


@require_http_methods(["GET", "POST"])
def tool_detail(request: HttpRequest, name: str) -> HttpResponse:
    """One tool: schemas, cost, risk, examples, recent calls, and a form to try it when that changes nothing."""
    tool = registry().tools.get(name)
    if tool is None:
        raise Http404
    form, result = None, None
    if tool.spec.is_pure:
        form = TryForm(request.POST if request.method == "POST" else None, spec=tool.spec)
    if request.method == "POST":
        result = tried(form, functools.partial(try_tool, name))
    breaker = tool_health().get(name)
    context = {
        "form": form,
        "try_at": reverse("tool", args=[name]),
        "result": result,
        "calls": recent_calls(person(request), name),
        "spec": tool.spec,
        "schemas": [
            (_("Takes"), shown(tool.spec.input_schema)),
            (_("Gives"), shown(tool.spec.output_schema)),
        ],
        "health": breaker.health() if breaker else None,
    }
    is_bad = request.method == "POST" and result is None
    return render(request, "tools/detail.html", context, status=422 if is_bad else 200)


def tried(form: TryForm | None, call: Callable[[dict[str, Any]], ToolResult]) -> ToolResult | None:
    """Return what ``call`` gave for the form's arguments, or None with the faults beside the form's fields."""
    if form is None or not form.is_valid():
        return None
    try:
        return call(form.arguments())
    except BadInput as fault:
        take_problems(form, fault, prefix=ARGUMENT)
    except Refused as fault:
        form.add_error(None, str(fault))
    return None
