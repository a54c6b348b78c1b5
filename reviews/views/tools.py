"""The registry of tools as people see it: what each takes and gives, and whether it is well."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from agents.wiring import registry, tool_health


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
    """List the installed tools by field, with plug-ins that could not be loaded."""
    specs = sorted(
        (tool.spec for tool in registry().tools.values()), key=lambda spec: (spec.category, spec.name)
    )
    health = tool_health()
    rows = [
        {"spec": spec, "state": health[spec.name].health().state if spec.name in health else ""}
        for spec in specs
    ]
    return render(request, "tools/list.html", {"rows": rows, "problems": registry().problems})


@require_GET
def tool_detail(request: HttpRequest, name: str) -> HttpResponse:
    """One tool: schemas, cost, risk, examples."""
    tool = registry().tools.get(name)
    if tool is None:
        raise Http404
    breaker = tool_health().get(name)
    context = {
        "spec": tool.spec,
        "schemas": [
            (_("Takes"), shown(tool.spec.input_schema)),
            (_("Gives"), shown(tool.spec.output_schema)),
        ],
        "health": breaker.health() if breaker else None,
    }
    return render(request, "tools/detail.html", context)
