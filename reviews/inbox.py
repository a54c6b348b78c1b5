"""What the inbox holds for a person: what needs them, what they hold, what waits for others, what was decided.

Every open review that exists for somebody either needs them or waits for others; what they hold is part of the
first. The queries walk an index of open reviews in the asked order, so that a page costs what it shows.
"""

from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews.models import Membership, Opinion, Review, Role
from reviews.permissions import RANK, User, is_admin

SHOWS = ("needs", "mine", "waiting", "decided")
ORDERS: dict[str, tuple[str, ...]] = {
    "risk": ("-severity", "opened_at", "gate_id"),
    "cost": ("-cost", "opened_at", "gate_id"),
    "oldest": ("opened_at", "gate_id"),
}
NEWEST = ("-opened_at", "gate_id")


def reviews_of(user: User) -> QuerySet[Review]:
    """Return every review that exists for ``user``, open or not, with what a row of the inbox shows."""
    rows = Review.objects.filter(_visible(user))
    return rows.select_related("gate", "run__study", "claimed_by", "assigned_to", "decision")


def inbox_for(
    user: User, *, show: str = "needs", study_slug: str = "", text: str = "", order: str = "risk"
) -> QuerySet[Review]:
    """Return the reviews of one section of the inbox: ``show`` of ``SHOWS``, open ones in an order of ``ORDERS``.

    ``needs``: the user may answer it now, and nobody else holds it. ``mine``: of these, what the user has claimed or
    was given. ``waiting``: open, and for others: the user has answered, may not, or somebody else holds it.
    ``decided``: closed, newest first.
    """
    rows = reviews_of(user)
    if study_slug:
        rows = rows.filter(study__slug=study_slug)
    if text:
        rows = rows.filter(Q(title__icontains=text) | Q(study__title__icontains=text))
    if show == "decided":
        return rows.exclude(status=Review.Status.OPEN).order_by(*NEWEST)
    rows = rows.filter(status=Review.Status.OPEN)
    now = timezone.now()
    rows = rows.filter(~needs(user, now)) if show == "waiting" else rows.filter(needs(user, now))
    if show == "mine":
        rows = rows.filter(Q(claimed_by_id=user.pk, claimed_until__gt=now) | Q(assigned_to_id=user.pk))
    return rows.order_by(*ORDERS.get(order, ORDERS["risk"]))


def needs(user: User, now: datetime) -> Q:
    """Return which of the open reviews need ``user``: may answer, has not, and nobody else holds it.

    A dispute is for an owner who is neither of the two who disagree.
    """
    mine = Exists(Opinion.objects.filter(review=OuterRef("pk"), user_id=user.pk or 0))
    others = Q(claimed_by__isnull=False, claimed_until__gt=now) & ~Q(claimed_by_id=user.pk or 0)
    given_away = Q(assigned_to__isnull=False) & ~Q(assigned_to_id=user.pk or 0)
    return _may_answer(user) & ~Q(mine) & ~others & ~given_away


def waiting_in(user: User) -> tuple[int, int]:
    """Return how many reviews need ``user``, and when the newest of them was opened (milliseconds since 1970)."""
    rows = Review.objects.filter(_visible(user), needs(user, timezone.now()), status=Review.Status.OPEN)
    found = rows.aggregate(count=Count("pk"), newest=Max("opened_at"))
    return found["count"], int(found["newest"].timestamp() * 1000) if found["newest"] else 0


def stamp_of(waiting: tuple[int, int]) -> str:
    """Return what a page remembers of ``waiting_in``, to be told when it has changed."""
    return f"{waiting[0]}.{waiting[1]}"


def open_count(user: User) -> int:
    """Return how many reviews need ``user``."""
    return waiting_in(user)[0]


def _visible(user: User) -> Q:
    if is_admin(user):
        return Q()
    return Q(study__in=_studies(user, Role.VIEWER))


def _may_answer(user: User) -> Q:
    """Return which reviews the user's role allows to answer."""
    if is_admin(user):
        return Q()
    as_asked = Q(
        *(Q(needs_role=role, study__in=_studies(user, role)) for role in _ANSWERING), _connector=Q.OR
    )
    return (Q(is_disputed=False) & as_asked) | Q(is_disputed=True, study__in=_studies(user, Role.OWNER))


_ANSWERING = (Role.RESEARCHER, Role.REVIEWER, Role.OWNER)


def _studies(user: User, least: Role) -> Any:
    """Return the studies in which ``user`` has at least the role ``least``, for a query."""
    roles = [role for role in Role if RANK[role] >= RANK[least]]
    rows = Membership.objects.filter(user_id=user.pk or 0, user__is_active=True, role__in=roles)
    return rows.values("study_id")
