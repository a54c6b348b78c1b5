"""Reading notices, and saying how one wants to be told."""

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from agents.core.errors import BadInput, Conflict
from agents.models import Run
from reviews.models import Delivery, Notice, Preference
from reviews.notify.targets import check_apprise, check_webhook

SECRETS = ("webhook_secret", "apprise_url")
"""What is kept when nothing is typed: it is never shown, so it cannot be typed back."""


def read_notices(*, user: User, notice_id: Any = None) -> int:
    """Mark one notice of ``user``, or all of them, as read; return how many were not."""
    rows = Notice.objects.filter(user_id=user.pk, read_at=None)
    if notice_id is not None:
        rows = rows.filter(pk=notice_id)
    return rows.update(read_at=timezone.now())


def preference_of(user: User) -> Preference:
    """Return how ``user`` wants to be told; nothing outside the application unless they said otherwise."""
    found = Preference.objects.filter(user_id=user.pk).first()
    return found or Preference(user=user, kinds=[str(kind) for kind in Notice.Kind])


def set_preference(
    *, user: User, email_address: str, forget: tuple[str, ...] = (), **fields: Any
) -> Preference:
    """Store how ``user`` wants to be told. An empty secret keeps the stored one unless it is in ``forget``.

    Raises ``BadInput`` with one problem a field.
    """
    problems = [*_email_problems(email_address, fields), *_problems(fields)]
    if problems:
        raise BadInput("Nothing was saved: " + " ".join(p["message"] for p in problems), problems)
    preference = preference_of(user)
    for name, value in fields.items():
        if name in SECRETS and not value and name not in forget:
            continue
        setattr(preference, name, value)
    with transaction.atomic():
        if user.email != email_address:
            user.email = email_address
            user.save(update_fields=["email"])
        preference.save()
    return preference


def _email_problems(address: str, fields: dict[str, Any]) -> list[dict[str, str]]:
    if not address:
        wants = fields.get("email", Preference.Email.OFF) != Preference.Email.OFF
        return [{"field": "email_address", "message": "E-mail needs an address."}] if wants else []
    try:
        validate_email(address)
    except ValidationError:
        return [{"field": "email_address", "message": f"{address} is no e-mail address."}]
    return []


def _problems(fields: dict[str, Any]) -> list[dict[str, str]]:
    problems = []
    for name, check in (("webhook_url", check_webhook), ("apprise_url", check_apprise)):
        if fields.get(name):
            try:
                check(fields[name])
            except BadInput as fault:
                problems.append({"field": name, "message": str(fault)})
    try:
        ZoneInfo(fields.get("time_zone", "UTC"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        problems.append({"field": "time_zone", "message": "That is no time zone; write it as Europe/Berlin."})
    return problems


def send_test(*, user: User) -> list[Delivery]:
    """Make a message due now by each way that ``user`` has set up; return them. Raises ``BadInput`` when none is."""
    preference = Preference.objects.filter(user_id=user.pk).first()
    channels = []
    if preference is not None:
        channels += [Delivery.Channel.EMAIL] if preference.email != Preference.Email.OFF else []
        channels += [Delivery.Channel.WEBHOOK] if preference.webhook_url else []
        channels += [Delivery.Channel.APPRISE] if preference.apprise_url else []
    if not channels:
        raise BadInput("Nothing is set up to be told outside Daybook; save that first.")
    run = Run.objects.filter(study__memberships__user_id=user.pk).order_by("-created_at").first()
    if run is None:
        raise BadInput("There is no run yet that a test message could be about.")
    now = timezone.now()
    if Delivery.objects.filter(user_id=user.pk, created_at__gt=now - timedelta(seconds=20)).exists():
        raise Conflict("A message was made due a moment ago; wait for what comes of it.")
    with transaction.atomic():
        notice = Notice.objects.create(user=user, kind=Notice.Kind.ENDED, run=run, title="Test", at=now)
        made = [Delivery.objects.create(user=user, channel=channel, next_at=now) for channel in channels]
        for delivery in made:
            delivery.notices.add(notice)
    return made
