"""Sending what is due: taken by compare-and-swap, sent outside any transaction, tried again, recorded."""

import logging
import threading
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import override

from reviews.models import Delivery, Notice, Preference
from reviews.notify.channels import NotSent, send

log = logging.getLogger("daybook.notify")

WAITS = (60, 300, 1800, 7200, 21_600)
"""Seconds before each further try; after the last one it has failed."""
TAKEN_SECONDS = 300
"""A sender that was lost in the middle is taken over after this; the receiver knows the message by its id."""

_posting = threading.Lock()


def is_due(now: datetime | None = None) -> bool:
    """Return True when something waits to be sent."""
    return _due(now or timezone.now()).exists()


def _due(now: datetime) -> QuerySet[Delivery]:
    waiting = (Delivery.Status.WAITING, Delivery.Status.SENDING)
    return Delivery.objects.filter(status__in=waiting, next_at__lte=now)


def post_due(*, now: datetime | None = None, limit: int = 50) -> int:
    """Send at most ``limit`` messages that are due, oldest first; return how many were tried."""
    tried = 0
    for _ in range(limit):
        moment = now or timezone.now()
        found = _due(moment).order_by("next_at").first()
        if found is None:
            break
        taken = Delivery.objects.filter(pk=found.pk, status=found.status, next_at=found.next_at).update(
            status=Delivery.Status.SENDING,
            next_at=moment + timedelta(seconds=TAKEN_SECONDS),
            tries=found.tries + 1,
        )
        if taken:
            _post(Delivery.objects.select_related("user").get(pk=found.pk), moment)
            tried += 1
    return tried


def _post(delivery: Delivery, now: datetime) -> None:
    preference = Preference.objects.select_related("user").filter(user_id=delivery.user_id).first()
    notices = _news(delivery)
    if preference is None or not notices or not delivery.user.is_active:
        _close(delivery, Delivery.Status.DROPPED)
        return
    try:
        with override(notices[0].run.study.language):
            send(delivery, preference, notices)
    except NotSent as fault:
        _try_again(delivery, str(fault), now, is_final=fault.is_final)
    except Exception as fault:
        log.exception("a message by %s was not sent", delivery.channel)
        _try_again(delivery, f"Unexpected {type(fault).__name__}.", now, is_final=False)
    else:
        _close(delivery, Delivery.Status.SENT)


def _news(delivery: Delivery) -> list[Notice]:
    """Return what of the message is still news: not read, its review not closed, its reader still a member."""
    rows = delivery.notices.filter(read_at=None, run__study__memberships__user_id=delivery.user_id)
    return list(rows.select_related("run__study").order_by("at", "pk"))


def _close(delivery: Delivery, status: str) -> None:
    delivery.status, delivery.error = status, ""
    delivery.sent_at = timezone.now() if status == Delivery.Status.SENT else None
    delivery.save(update_fields=["status", "error", "sent_at"])


def _try_again(delivery: Delivery, reason: str, now: datetime, *, is_final: bool) -> None:
    delivery.error = reason[:300]
    if is_final or delivery.tries > len(WAITS):
        delivery.status = Delivery.Status.FAILED
    else:
        delivery.status = Delivery.Status.WAITING
        delivery.next_at = now + timedelta(seconds=WAITS[delivery.tries - 1])
    delivery.save(update_fields=["status", "error", "next_at"])
    log.info("a message by %s was not sent at try %s: %s", delivery.channel, delivery.tries, reason)


def post_in_background() -> None:
    """Send what is due in a thread of its own, one at a time in this process: a slow receiver holds up no run."""
    if is_due() and _posting.acquire(blocking=False):
        threading.Thread(target=_post_and_let_go, name="post", daemon=True).start()


def _post_and_let_go() -> None:
    try:
        post_due()
    except Exception:
        log.exception("messages that are due were not sent; they are tried again")
    finally:
        _posting.release()
        connection.close()
