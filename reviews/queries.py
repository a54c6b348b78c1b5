"""Reads for pages."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from agents.models import Effect, Run, Study
from agents.store.results import results_of
from reviews.models import Draft, Membership, Notice, Review
from reviews.permissions import User, studies_of


def unread_count(user: User) -> int:
    """Return how many notices ``user`` has not read."""
    return Notice.objects.filter(user_id=user.pk or 0, read_at=None).count()


def decisions_of(run: Run) -> QuerySet[Review]:
    """Return the reviews of a run with their decisions, newest first."""
    return (
        Review.objects.filter(run=run)
        .select_related("gate", "decision__user")
        .order_by("-opened_at", "gate_id")
    )


def draft_of(user: User, gate_id: Any) -> dict[str, Any]:
    """Return what ``user`` typed on the card of this gate, or an empty dict."""
    draft = Draft.objects.filter(gate_id=gate_id, user_id=user.pk or 0).first()
    return draft.fields if draft else {}


def members_of(study: Any) -> QuerySet[Membership]:
    """Return the members of a study with their roles."""
    return Membership.objects.filter(study=study).select_related("user").order_by("user__username")


@dataclass(frozen=True)
class Call:
    """A call of a tool in some run: what it was given, what came of it."""

    run: Run
    at: datetime
    arguments: dict[str, Any]
    is_success: bool | None
    """None while it runs or when nobody knows what became of it."""
    said: str
    is_cached: bool


def recent_calls(user: User, tool: str, *, study: Study | None = None, limit: int = 10) -> list[Call]:
    """Return the last calls of ``tool`` in the studies that exist for ``user`` (or in one), newest first."""
    rows = Effect.objects.filter(run__study__in=studies_of(user), tool=tool)
    if study is not None:
        rows = rows.filter(run__study=study)
    found = list(rows.select_related("run__study").order_by("-started_at")[:limit])
    results = results_of(found)
    return [_call(row, results.get(row.pk, {})) for row in found]


def _call(row: Effect, result: dict[str, Any]) -> Call:
    return Call(
        run=row.run,
        at=row.started_at,
        arguments=row.request.get("arguments", {}),
        is_success=result.get("success"),
        said=result.get("error_message") or result.get("summary", ""),
        is_cached=bool(result.get("cached")),
    )
