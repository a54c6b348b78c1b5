"""Who changed which tools from outside a study has, and when: append-only, also after a source is removed."""

from typing import Any

from agents.models import Study, ToolChange


def note(study: Study, what: str, *, by: str, source: str = "", tool: str = "", told: str = "") -> None:
    """Keep that ``by`` did ``what``; empty ``by`` is what the machine found out. Call it in the change's transaction."""
    ToolChange.objects.create(study=study, what=what, by=by[:150], source=source, tool=tool, told=told[:500])


def declared_difference(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return what was declared otherwise than before, as text; empty when nothing was."""
    changed = [name for name in after if before.get(name) != after[name]]
    return "; ".join(f"{name} {before.get(name)} → {after[name]}" for name in changed)
