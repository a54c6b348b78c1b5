"""Outside sources and their tools as pages show them: plain text, what changed side by side, why one is blocked."""

import json
import shlex
from typing import Any

from django.utils.translation import gettext as _

from agents.core.outside import Definition, OutsideTool
from agents.core.text import BIDI_AND_ZERO_WIDTH
from agents.core.tools import ToolSpec
from agents.models import SourceTool, ToolChange, ToolSource
from reviews.forms.outside import ToolForm
from reviews.present.diffs import Piece, difference


def source_row(row: ToolSource) -> dict[str, Any]:
    """Return a source with where it is, in one line, and the references to secrets it holds (never a value)."""
    config = row.config
    where = shlex.join(config.get("command") or []) or config.get("url") or ""
    tools = list(row.tools.all()) if "tools" in getattr(row, "_prefetched_objects_cache", {}) else None
    return {
        "row": row,
        "where": where,
        "headers": [f"{name}: {value}" for name, value in (config.get("headers") or {}).items()],
        "environment": [f"{name}={value}" for name, value in (config.get("environment") or {}).items()],
        "secret": config.get("secret", ""),
        "count": len(tools) if tools is not None else row.tools.count(),
        "on": sum(tool.is_on and tool.state == SourceTool.State.OK for tool in tools or []),
        "blocked": sum(tool.is_on and tool.state != SourceTool.State.OK for tool in tools or []),
    }


def tool_row(tool: SourceTool) -> dict[str, Any]:
    """Return a tool with its definition, its form, and what its source changed."""
    accepted = Definition.model_validate(tool.accepted)
    seen = Definition.model_validate(tool.seen) if tool.seen else None
    whole = {
        key: int(v) if isinstance(v, float) and v.is_integer() else v for key, v in tool.declared.items()
    }
    form = ToolForm(initial=whole, auto_id=f"t{tool.pk}-%s")
    return {
        "tool": tool,
        "definition": accepted,
        "description": visible(accepted.description),
        "fields": _fields(accepted.input_schema),
        "schema": _json(accepted.input_schema),
        "returns": _json(accepted.output_schema),
        "seen": seen,
        "changes": changes(accepted, seen) if seen else [],
        "form": form,
        "declared": _in_words(form, tool.declared),
    }


def spec_of_row(tool: SourceTool) -> ToolSpec:
    """Return the specification of an outside tool as it was accepted and declared."""
    from agents.services.protocols import source_value
    from agents.tools.outside.tools import spec_of

    definition = Definition.model_validate(tool.accepted)
    made = OutsideTool(name=tool.name, definition=definition, **tool.declared)
    return spec_of(source_value(tool.source), made)


def change_row(change: ToolChange) -> dict[str, Any]:
    """Return one line of the history in words."""
    words = {
        "added": _("Added"),
        "removed": _("Removed"),
        "on": _("Switched on"),
        "off": _("Switched off"),
        "declared": _("Declared otherwise"),
        "accepted": _("Accepted as it is now"),
        "blocked": _("Blocked: its source changed it"),
        "tried": _("Tried"),
        "code_on": _("Let runs execute code"),
        "code_off": _("Run no more code"),
    }
    return {
        "words": words[change.what],
        "name": change.tool or change.source,
        "by": change.by,
        "at": change.at,
        "told": "" if change.what == "blocked" else change.told,
    }


def _in_words(form: ToolForm, declared: dict[str, Any]) -> list[Any]:
    """Return what is declared as its form says it."""
    chosen = [dict(form.fields[name].choices).get(declared.get(name)) for name in ("effect", "risk")]  # type: ignore[attr-defined]
    ticked = [form.fields[name].label for name in ("needs_review", "is_reversible") if declared.get(name)]
    return [word for word in (*chosen, *ticked) if word]


def changes(old: Definition, new: Definition) -> list[tuple[str, list[Piece]]]:
    """Return what differs between two definitions, part by part."""
    parts = (
        (_("Title"), old.title, new.title),
        (_("Description"), visible(old.description), visible(new.description)),
        (_("Takes"), _json(old.input_schema), _json(new.input_schema)),
        (_("Gives"), _json(old.output_schema), _json(new.output_schema)),
        (_("Call"), _json(old.call), _json(new.call)),
        (_("Problem"), old.problem, new.problem),
    )
    return [(name, difference(before, after)) for name, before, after in parts if before != after]


def visible(text: str) -> str:
    """Return ``text`` with every invisible character written out."""
    return BIDI_AND_ZERO_WIDTH.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def _fields(schema: dict[str, Any]) -> list[str]:
    required = schema.get("required", [])
    return [name if name in required else f"{name}?" for name in schema.get("properties", {})]


def _json(value: Any) -> str:
    return visible(json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True))
