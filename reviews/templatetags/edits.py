"""What a person changed before letting an action through, told by the event of the decision."""

from typing import Any

from django import template
from django.utils.translation import gettext as _

from reviews.present.lists import argument_changes

register = template.Library()


@register.simple_tag
def event_changes(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the changes of an edit, as the payload of ``review.decided`` holds them: label, before, after."""
    rows = argument_changes(payload.get("proposed") or {}, payload.get("executed") or {})
    changes = [{"label": label, "old": old, "new": new} for label, old, new in rows]
    claim = payload.get("hypothesis")
    if claim:
        before = payload.get("hypothesis_before", "")
        if before != claim.get("text", ""):
            changes.append({"label": _("hypothesis"), "old": before, "new": claim.get("text", "")})
    return changes
