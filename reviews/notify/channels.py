"""The three ways out. Each sends or raises ``NotSent`` with a reason that holds no secret."""

import base64
import hashlib
import hmac
import json
import logging
import time
from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage

from agents.core.errors import BadInput, DaybookError
from reviews.models import Delivery, Notice, Preference
from reviews.models.sealed import UNREADABLE
from reviews.notify.targets import check_apprise, pinned
from reviews.notify.wording import body, payload, subject

TIMEOUT_SECONDS = 10.0


class NotSent(DaybookError):
    """It did not arrive. ``is_final``: trying again would not help."""

    def __init__(self, reason: str, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


def send(delivery: Delivery, preference: Preference, notices: Sequence[Notice]) -> None:
    """Send ``notices`` by the delivery's channel as the person set it up by now."""
    if delivery.channel == Delivery.Channel.EMAIL:
        _email(delivery, preference, notices)
    elif delivery.channel == Delivery.Channel.WEBHOOK:
        _webhook(delivery, preference, notices)
    else:
        _apprise(preference, notices)


def has_mail() -> bool:
    """Return True when the site has a mail server."""
    return bool(settings.EMAIL_IS_CONFIGURED)


def _email(delivery: Delivery, preference: Preference, notices: Sequence[Notice]) -> None:
    if not has_mail():
        raise NotSent("This site has no mail server (EMAIL_URL).", is_final=True)
    address = preference.user.email
    if not address:
        raise NotSent("There is no e-mail address on the account.", is_final=True)
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">") or "daybook"
    message = EmailMessage(
        subject(notices),
        body(notices),
        to=[address],
        # The same at every try, so that a mail that arrives twice is one in the reader's program.
        headers={"Message-ID": f"<{delivery.pk}@{domain}>", "Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except (OSError, ValueError) as fault:  # smtplib's errors are OSErrors
        raise NotSent(f"The mail server did not take it ({type(fault).__name__}).") from None


def signature(secret: str, *, message_id: str, timestamp: int, content: bytes) -> str:
    """Return the signature of a webhook, as the Standard Webhooks specification has it: ``v1,`` and base64."""
    signed = f"{message_id}.{timestamp}.".encode() + content
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _opened(secret: str) -> str:
    if secret == UNREADABLE:
        raise NotSent(
            "The stored secret cannot be read since the site's SECRET_KEY was changed. Enter it again.",
            is_final=True,
        )
    return secret


def _webhook(delivery: Delivery, preference: Preference, notices: Sequence[Notice]) -> None:
    import httpx

    try:
        url, host, extensions = pinned(preference.webhook_url)
    except BadInput as fault:
        raise NotSent(str(fault), is_final="not known" not in str(fault)) from None
    content = json.dumps(payload(notices, delivery.pk), ensure_ascii=False).encode()
    stamp = int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Daybook",
        "webhook-id": str(delivery.pk),
        "webhook-timestamp": str(stamp),
    }
    if _opened(preference.webhook_secret):
        headers["webhook-signature"] = signature(
            preference.webhook_secret, message_id=str(delivery.pk), timestamp=stamp, content=content
        )
    try:
        with httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False) as client:
            answer = client.post(url, content=content, headers={**headers, **host}, extensions=extensions)
    except httpx.HTTPError as fault:
        raise NotSent(f"The webhook could not be reached ({type(fault).__name__}).") from None
    if not 200 <= answer.status_code < 300:
        # Gone, or never there: the one who asked must look.
        raise NotSent(
            f"The webhook answered with status {answer.status_code}.", is_final=answer.status_code == 410
        )


def _apprise(preference: Preference, notices: Sequence[Notice]) -> None:
    from apprise import Apprise

    try:
        url = check_apprise(_opened(preference.apprise_url))
    except BadInput as fault:
        raise NotSent(str(fault), is_final=True) from None
    # Its log would hold the address, and with it the key.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    sender = Apprise()
    sender.add(url)
    if not sender.notify(title=subject(notices), body=body(notices)):
        raise NotSent("The service did not take the message.")
