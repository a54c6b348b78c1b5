"""What a tool gave before in the same study: for when it cannot be reached now."""

from agents.core.ports import Earlier
from agents.core.tools import Action, ToolResult
from agents.models import Effect
from agents.store.results import results_of

LOOKED_AT = 500
"""Results looked through, newest first."""


def earlier_result(study_id: str, action: Action, *, version: str) -> Earlier | None:
    """Return the newest result that the tool itself gave in the study for exactly ``action``, or None."""
    rows = Effect.objects.filter(run__study_id=study_id, status=Effect.Status.DONE, tool=action.tool)
    asked = action.model_dump(mode="json")
    newest = rows.order_by("-started_at", "-id")[:LOOKED_AT]
    same = [row for row in newest if row.request == asked]
    results = results_of(same)
    for row in same:
        if not results.get(row.pk) or row.finished_at is None:
            continue
        result = ToolResult.model_validate(results[row.pk])
        if result.success and result.version == version and not result.substitute:
            return Earlier(result=result, at=row.finished_at.isoformat())
    return None
