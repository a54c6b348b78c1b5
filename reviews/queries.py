"""Reads for pages: what needs whom."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from agents.models import Effect, Run
from reviews.models import Draft, Membership, Review
from reviews.permissions import User, studies_of

RISKY_FIRST = Case(
    When(risk="high", then=Value(0)),
    When(risk="medium", then=Value(1)),
    default=Value(2),
    output_field=IntegerField(),
)


def inbox_for(
    user: User, *, status: str = "open", mine: bool = False, study_slug: str = "", text: str = ""
) -> QuerySet[Review]:
    """Return the reviews that exist for ``user``: open ones riskiest and oldest first, decided ones newest first."""
    rows = Review.objects.filter(run__study__in=studies_of(user))
    rows = rows.select_related("gate", "run__study", "claimed_by", "decision")
    if study_slug:
        rows = rows.filter(run__study__slug=study_slug)
    if text:
        rows = rows.filter(Q(title__icontains=text) | Q(run__study__title__icontains=text))
    if mine:
        rows = rows.filter(claimed_by_id=user.pk, claimed_until__gt=timezone.now())
    if status == "open":
        return rows.filter(status=Review.Status.OPEN).order_by(RISKY_FIRST, "opened_at", "gate_id")
    return rows.exclude(status=Review.Status.OPEN).order_by("-opened_at", "gate_id")


def open_count(user: User) -> int:
    """Return how many reviews wait for somebody in the user's studies."""
    return Review.objects.filter(run__study__in=studies_of(user), status=Review.Status.OPEN).count()


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


def recent_calls(user: User, tool: str, limit: int = 10) -> list[Call]:
    """Return the last calls of ``tool`` in the studies that exist for ``user``, newest first."""
    rows = Effect.objects.filter(
        run__study__in=studies_of(user), key__contains="/act/", key__endswith=f"/{tool}"
    )
    rows = rows.select_related("run__study").order_by("-started_at")[:limit]
    return [_call(row) for row in rows]


def _call(row: Effect) -> Call:
    result = row.result or {}
    return Call(
        run=row.run,
        at=row.started_at,
        arguments=row.request.get("arguments", {}),
        is_success=result.get("success") if row.result else None,
        said=result.get("error_message") or result.get("summary", ""),
        is_cached=bool(result.get("cached")),
    )
