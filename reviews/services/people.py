"""Giving reviews to people: assignment, hand-over, absence and the deputies who stand in."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.core.errors import BadInput, Conflict
from agents.core.text import clean_text
from agents.models import Gate
from agents.services.gates import check_open
from agents.store.log import append, lock_run
from reviews.models import Absence, Handover, Membership, Review, Role
from reviews.permissions import RANK, can, require
from reviews.services.decisions import least_role
from reviews.signals import review_changed

NOTE_LIMIT = 2000


def assign(*, gate: Gate, user: User, to: User | None, note: str = "") -> Review:
    """Give the open review to ``to``, or to nobody in particular, and say why. Others may still decide it.

    Raises ``Refused`` when ``user`` may not review, ``BadInput`` when ``to`` could not decide it or is away,
    ``Conflict`` when it was closed first.
    """
    require(user, gate.run.study, Role.REVIEWER)
    note = clean_text(note).strip()
    if len(note) > NOTE_LIMIT:
        raise BadInput(f"The note has {len(note)} characters; at most {NOTE_LIMIT} are kept.")
    review = Review.objects.select_related("run__study").get(pk=gate.pk)
    if to is not None:
        _check_candidate(review, to)
    with transaction.atomic():
        return hand_over(gate, to=to, by=user.get_username(), note=note, actor=user)


def _check_candidate(review: Review, to: User) -> None:
    least = least_role(review)
    if not to.is_active or not can(to, review.run.study, least):
        raise BadInput(
            f"{to.get_username()} cannot decide this review: it needs the role {least.label.lower()}."
        )
    if review.opinions.filter(user_id=to.pk).exists():
        raise BadInput(f"{to.get_username()} has said what they think of it already; choose somebody else.")
    away = absence_of(to)
    if away is not None:
        deputy = f"; {away.deputy.get_username()} stands in" if away.deputy else ""
        raise BadInput(f"{to.get_username()} is away until {away.ends:%Y-%m-%d %H:%M} UTC{deputy}.")


def hand_over(gate: Gate, *, to: User | None, by: str, note: str = "", actor: User | None = None) -> Review:
    """Store and log that the review goes to ``to``; call inside a transaction."""
    run = lock_run(gate.run_id)
    gate = Gate.objects.select_for_update().get(pk=gate.pk)
    check_open(gate)
    review = Review.objects.select_for_update().get(pk=gate.pk)
    name = to.get_username() if to else ""
    if review.assigned_to_id == (to.pk if to else None):
        return review
    review.assigned_to = to
    review.save(update_fields=["assigned_to"])
    Handover.objects.create(review=review, to=to, to_name=name, by=by, note=note, at=timezone.now())
    append(run, "review.assigned", {"gate": gate.key, "to": name, "by": by, "note": note}, round=gate.round)
    review_changed.send(sender=Review, review=review, what="assigned", by=actor)
    return review


def candidates(review: Review) -> QuerySet[Membership]:
    """Return the members who may decide ``review``, by name."""
    least = least_role(review)
    roles = [role for role in Role if RANK[role] >= RANK[least]]
    rows = Membership.objects.filter(study=review.run.study_id, role__in=roles, user__is_active=True)
    return rows.select_related("user").order_by("user__username")


def set_absence(*, user: User, starts: datetime, ends: datetime, deputy: User | None = None) -> Absence:
    """Say that ``user`` is away. Raises ``BadInput`` when it ends before it starts or in the past, or overlaps."""
    if ends <= starts:
        raise BadInput("The absence ends before it starts.")
    if ends <= timezone.now():
        raise BadInput("The absence lies in the past.")
    if deputy is not None and deputy.pk == user.pk:
        raise BadInput("You cannot stand in for yourself.")
    if Absence.objects.filter(user_id=user.pk, starts__lt=ends, ends__gt=starts).exists():
        raise BadInput("You have another absence in that time; end it first.")
    return Absence.objects.create(user=user, starts=starts, ends=ends, deputy=deputy)


def end_absence(*, user: User, absence_id: Any) -> None:
    """Be back: an absence that has begun ends now, one that has not is taken away. Only one's own."""
    row = Absence.objects.filter(user_id=user.pk, pk=absence_id).first()
    if row is None:
        raise Conflict("There is no such absence any more.")
    now = timezone.now()
    if row.starts >= now:
        row.delete()
    elif row.ends > now:
        row.ends = now
        row.save(update_fields=["ends"])


def absence_of(user: User, now: datetime | None = None) -> Absence | None:
    """Return the absence that ``user`` is on, or None."""
    now = now or timezone.now()
    rows = Absence.objects.filter(user_id=user.pk, starts__lte=now, ends__gt=now)
    return rows.select_related("deputy").first()


def relieve_absent(*, now: datetime | None = None, limit: int = 50) -> int:
    """Hand on the open reviews of people who are away; return how many.

    A deputy who may decide and is there gets them; else they go to anybody, and the owners are told.
    """
    now = now or timezone.now()
    rows = Review.objects.filter(
        status=Review.Status.OPEN, assigned_to__absences__starts__lte=now, assigned_to__absences__ends__gt=now
    )
    found = list(rows.select_related("gate", "run__study", "assigned_to").order_by("opened_at")[:limit])
    return sum(_relieve(review, now) for review in found)


@transaction.atomic
def _relieve(review: Review, now: datetime) -> bool:
    person = review.assigned_to
    assert person is not None
    away = absence_of(person, now)
    deputy = away.deputy if away else None
    stands_in = (
        deputy is not None
        and deputy.is_active
        and can(deputy, review.run.study, least_role(review))
        and absence_of(deputy, now) is None
        and not review.opinions.filter(user_id=deputy.pk).exists()
    )
    note = f"{person.get_username()} is away"
    try:
        hand_over(review.gate, to=deputy if stands_in else None, by="absence", note=note)
    except Conflict:
        return False
    if not stands_in:
        review_changed.send(sender=Review, review=review, what="escalated", by=None)
    return True
