"""What somebody is told whose answer came too late: who was first, and all that they had typed."""

from typing import Any

from django import forms


def late_notice(text: str, form: forms.Form | None) -> dict[str, Any]:
    """Return a notice that stays until it is dismissed. ``form`` is bound to what was sent, or None."""
    return {"tone": "needs", "icon": "users", "text": text, "lasts": True, "typed": typed_in(form)}


def typed_in(form: forms.Form | None) -> str:
    """Return what differs from what the form opened with, a line a field, for people to copy."""
    if form is None:
        return ""
    changed = [form[name] for name in form.changed_data]
    given = [(bound.label, bound.data) for bound in changed if bound.data not in (None, "", [])]
    if len(given) == 1:
        return str(given[0][1])
    return "\n".join(f"{label}: {value}" for label, value in given)
