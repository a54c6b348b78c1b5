"""Signing a decision: the password once more, few tries, and a row that says what was signed and what it means."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.canonical import digest_of
from agents.core.errors import BadInput
from agents.core.gates import Verdict
from agents.models import Gate, Run
from reviews.models import Decision, Opinion, RecordEntry, Signature, SigningTry
from reviews.record.entries import record_row

MEANINGS = ("responsible", "reviewed", "performed", "witnessed")
MOST_TRIES = 5
TRIES_LAST = timedelta(minutes=15)
UNSIGNED = (Verdict.STOP,)
"""Whoever sees danger stops the run; that waits for no password."""


@dataclass(frozen=True)
class Signing:
    """What a person gives to sign. The password is in no text that is made of it."""

    meaning: str
    password: str = field(repr=False)


class NotSigned(BadInput):
    """The decision was not taken, since its signature is missing or wrong. ``problems`` name meaning or password."""


def is_signed(run: Run) -> bool:
    """Return True when decisions of people in ``run`` are signed."""
    return bool((run.policy_table or {}).get("is_signed"))


def check_signing(run: Run, user: User, verdict: str, signing: Signing | None) -> None:
    """Raise ``NotSigned`` unless ``signing`` proves that ``user`` decides, where decisions are signed.

    Outside any transaction: checking a password is slow on purpose, and a wrong one must stay counted.
    """
    if verdict in UNSIGNED or (signing is None and not is_signed(run)):
        return
    if signing is None:
        raise _refused(
            "password",
            _(
                "Decisions of this study are signed, one by one: give your password and what your signature means."
            ),
        )
    if signing.meaning not in MEANINGS:
        raise _refused(
            "meaning", _("Choose what your signature means: %(all)s.") % {"all": ", ".join(MEANINGS)}
        )
    if not user.has_usable_password():
        raise _refused("password", _("Your account has no password to sign with; an administrator sets one."))
    _count_try(user)
    if not user.check_password(signing.password):
        left = MOST_TRIES - _tries(user).count()
        told = _("This is not your password. Nothing was decided; %(n)s more tries.") % {"n": max(left, 0)}
        raise _refused("password", told)
    SigningTry.objects.filter(user=user).delete()


def _count_try(user: User) -> None:
    # Counted before it is looked at, so that many at once are not more tries than one after the other.
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        tries = _tries(user)
        if tries.count() >= MOST_TRIES:
            first = tries.order_by("at").first()
            wait = (first.at + TRIES_LAST - timezone.now()) if first else TRIES_LAST
            minutes = max(1, round(wait.total_seconds() / 60))
            raise _refused(
                "password",
                _("Too many wrong passwords. Nothing was decided; try again in %(n)s minutes.")
                % {"n": minutes},
            )
        SigningTry.objects.create(user=user, at=timezone.now())


def _tries(user: User) -> Any:
    return SigningTry.objects.filter(user=user, at__gt=timezone.now() - TRIES_LAST)


def _refused(name: str, told: str) -> NotSigned:
    return NotSigned(told, [{"field": name, "message": told}])


def sign(said: Decision | Opinion, *, user: User, role: str, meaning: str, channel: str) -> Signature:
    """Store the signature under what ``user`` said, bound to the record; call in the decision's transaction."""
    signature = Signature.objects.create(
        review_id=said.review_id,
        user=user,
        by=user.get_username(),
        role=role,
        meaning=meaning,
        signed_digest=signed_digest(said, meaning),
        channel=channel,
        at=timezone.now(),
    )
    record_row(RecordEntry.Kind.SIGNATURE, signature)
    return signature


def signed_digest(said: Decision | Opinion, meaning: str) -> str:
    """Return the digest of what a signature is under: the gate, what was shown there, the answer and the meaning."""
    gate = Gate.objects.only("run_id", "key", "digest").get(pk=said.review_id)
    return digest_of(
        {
            "run": str(gate.run_id),
            "gate": gate.key,
            "asked": gate.digest,
            "shown": said.shown_digest,
            "answer": said.answer,
            "meaning": meaning,
        }
    )
