"""From what happens at the desk to notices, and to the messages that are due outside; in its transaction."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from agents.models import Run
from reviews.models import Delivery, Membership, Notice, Preference, Review, Role
from reviews.notify.when import after_quiet, next_digest
from reviews.permissions import RANK
from reviews.services.decisions import least_role


def tell(
    users: Iterable[int], *, kind: str, run: Run, title: str, review: Review | None = None
) -> list[Notice]:
    """Give each of ``users`` (by id) a notice, and make due what they want to hear outside."""
    now = timezone.now()
    notices = [
        Notice(user_id=pk, kind=kind, run=run, review=review, title=title[:300], at=now)
        for pk in sorted(set(users))
    ]
    if not notices:
        return []
    notices = Notice.objects.bulk_create(notices)
    wanted = Preference.objects.filter(user_id__in=[row.user_id for row in notices]).in_bulk()
    for notice in notices:
        preference = wanted.get(notice.user_id)
        if preference is not None and kind in preference.kinds:
            _queue(notice, preference, now)
    return notices


def _queue(notice: Notice, preference: Preference, now: datetime) -> None:
    quiet = {"start": preference.quiet_from, "end": preference.quiet_to, "zone": preference.time_zone}
    at_once = after_quiet(now, **quiet)  # type: ignore[arg-type]
    if preference.email == Preference.Email.EACH:
        _add(notice, Delivery.Channel.EMAIL, at_once)
    elif preference.email == Preference.Email.DIGEST:
        digest = next_digest(now, hour=preference.digest_hour, zone=preference.time_zone)
        _add(notice, Delivery.Channel.EMAIL, digest)
    if preference.webhook_url:
        _add(notice, Delivery.Channel.WEBHOOK, at_once)
    if preference.apprise_url:
        _add(notice, Delivery.Channel.APPRISE, at_once)


def _add(notice: Notice, channel: str, due: datetime) -> None:
    """Put the notice into the message that is due at that time, so that quiet hours end with one, not with many."""
    waiting = {"user_id": notice.user_id, "channel": channel, "status": Delivery.Status.WAITING, "tries": 0}
    delivery = Delivery.objects.filter(**waiting, next_at=due).first() if due > notice.at else None
    delivery = delivery or Delivery.objects.create(**waiting, next_at=due)
    delivery.notices.add(notice)


def deciders(review: Review) -> QuerySet[Membership]:
    """Return the members who may answer ``review`` and have not."""
    least = least_role(review)
    roles = [role for role in Role if RANK[role] >= RANK[least]]
    rows = Membership.objects.filter(study_id=review.run.study_id, role__in=roles, user__is_active=True)
    if review.mode != "review":
        rows = rows.exclude(user_id__in=review.opinions.values("user_id"))
    return rows


def not_away(rows: QuerySet[Membership], now: datetime) -> QuerySet[Membership]:
    """Leave out people who are away: they find it when they are back."""
    away = Q(user__absences__starts__lte=now, user__absences__ends__gt=now)
    return rows.exclude(pk__in=rows.filter(away).values("pk"))


def tell_of(review: Review, what: str, *, by: User | None = None) -> None:
    """Tell whom ``what`` concerns: everybody who may answer, the one it was given to, or the owners."""
    if what == Notice.Kind.ASSIGNED:
        people: list[int | None] = [review.assigned_to_id] if review.assigned_to_id else []
    elif what == Notice.Kind.DEADLINE:
        owners = Membership.objects.filter(
            study_id=review.run.study_id, role=Role.OWNER, user__is_active=True
        )
        people = [*owners.values_list("user_id", flat=True), review.run.created_by_id]
    elif what == Notice.Kind.ESCALATED:
        owners = Membership.objects.filter(
            study_id=review.run.study_id, role=Role.OWNER, user__is_active=True
        )
        people = list(owners.values_list("user_id", flat=True))
    else:
        people = list(not_away(deciders(review), timezone.now()).values_list("user_id", flat=True))
    ids = [pk for pk in people if pk is not None and (by is None or pk != by.pk)]
    tell(ids, kind=what, run=review.run, title=review.title, review=review)


def settle(review_id: Any) -> None:
    """Mark what was told of a review as read once it is closed: nobody needs to look any more."""
    Notice.objects.filter(review_id=review_id, read_at=None).update(read_at=timezone.now())


def tell_end(run: Run, title: str) -> None:
    """Tell who started the run that it has ended."""
    if run.created_by_id:
        tell([run.created_by_id], kind=Notice.Kind.ENDED, run=run, title=title)
