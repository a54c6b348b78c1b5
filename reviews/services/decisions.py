"""Deciding a review, claiming it, keeping a draft. One transaction each."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents.core.errors import BadInput, Conflict
from agents.core.gates import Answer, Verdict
from agents.core.text import clean_value
from agents.models import Gate, Run, Study
from agents.services import fork_run, prepare_answer
from agents.services.gates import check_open, check_shown
from agents.store.log import lock_run
from reviews.bench.files import with_files
from reviews.models import Decision, Draft, Membership, Opinion, Review, Role
from reviews.permissions import RANK, require
from reviews.services.opinions import check_adjudicator, give, needs_several
from reviews.services.recording import is_same, record, said_by
from reviews.services.signing import UNSIGNED, Signing, check_signing, sign

CLAIM_TIME = timedelta(minutes=5)


def least_role(review: Review) -> Role:
    """Return the weakest role that may answer ``review``: measurements are entered by researchers too."""
    return Role.OWNER if review.is_disputed else Role(review.needs_role)


def decide(
    *,
    gate: Gate,
    user: User,
    verdict: str,
    shown_digest: str,
    channel: str = "web",
    signing: Signing | None = None,
    **fields: Any,
) -> Decision | Opinion:
    """Take the decision on ``gate`` as ``user`` and return it; an ``Opinion`` while somebody else must agree.

    ``fields`` as for ``agents.services.prepare_answer``. Of any number of people at once one wins; the others get
    ``Conflict`` saying who was first. The same decision by the same person again is the first one, a success.
    ``signing`` is needed where decisions are signed (``NotSigned`` without), and may be given anywhere.
    Raises ``Refused`` when the role is too low, ``BadInput`` with problems by field.
    """
    review = Review.objects.select_related("run__study").get(pk=gate.pk)
    least = least_role(review)
    if verdict == Verdict.STOP and RANK[least] > RANK[Role.REVIEWER]:
        least = Role.REVIEWER  # whoever may review may always stop
    role = require(user, review.run.study, least)
    result = fields.get("result") or {}
    if verdict == Verdict.ANSWER and isinstance(result, dict):
        fields["result"] = with_files(gate, result)
    given = {"verdict": verdict, "by": user.get_username(), **fields}
    gate.refresh_from_db(fields=["status", "answer", "answered_at"])
    try:
        check_open(gate)
        if review.is_disputed and verdict != Verdict.STOP:
            check_adjudicator(review, user, role)
        answer = prepare_answer(gate, **given)
        answer = answer.model_copy(update={"review_id": str(gate.pk)})
        check_signing(review.run, user, verdict, signing)
        meaning = signing.meaning if signing and verdict not in UNSIGNED else ""
        return _store(
            gate, user, answer, role=role, shown_digest=shown_digest, channel=channel, meaning=meaning
        )
    except Conflict:
        # Here too, since both posts of a double click may find the gate open.
        first = _same_decision(gate, user, given, shown_digest)
        if first is None:
            raise
        return first


@transaction.atomic
def _store(
    gate: Gate, user: User, answer: Answer, *, role: Role, shown_digest: str, channel: str, meaning: str
) -> Decision | Opinion:
    said = _take(gate, user, answer, role=role, shown_digest=shown_digest, channel=channel)
    if meaning:
        sign(_own(said, user), user=user, role=role, meaning=meaning, channel=channel)
    return said


def _own(said: Decision | Opinion, user: User) -> Decision | Opinion:
    """Return what ``user`` said: of a decision that several made, their part of it."""
    return Opinion.objects.filter(review_id=said.review_id, user_id=user.pk).first() or said


def _take(
    gate: Gate, user: User, answer: Answer, *, role: Role, shown_digest: str, channel: str
) -> Decision | Opinion:
    # Under the run's lock, so that of two people who say the same at once only one finds the review without the other.
    lock_run(gate.run_id)
    review = Review.objects.select_for_update().select_related("run").get(pk=gate.pk)
    if needs_several(review, user, answer.verdict):
        return give(gate, user, answer, role=role, shown_digest=shown_digest, channel=channel)
    check_shown(gate, shown_digest)
    opinions = list(review.opinions.all())
    if opinions:
        answer = answer.model_copy(update={"opinions": said_by(opinions)})
    return record(gate, answer, user=user, role=role, channel=channel)


def _same_decision(
    gate: Gate, user: User, given: dict[str, Any], shown_digest: str
) -> Decision | Opinion | None:
    """Return what ``user`` decided or said before, when it is what is ``given`` again."""
    decision = Decision.objects.filter(review_id=gate.pk).first()
    opinion = Opinion.objects.filter(review_id=gate.pk, user_id=user.pk, shown_digest=shown_digest).first()
    own = (
        decision
        if decision and (decision.user_id, decision.shown_digest) == (user.pk, shown_digest)
        else None
    )
    first = opinion or own
    if first is None or first.verdict != given["verdict"]:
        return None
    try:
        again = prepare_answer(gate, against_ledger=False, **given)
    except BadInput:
        return None
    return (decision or first) if is_same(Answer.model_validate(first.answer), again) else None


def require_open(gate: Gate) -> None:
    """Raise ``Conflict`` saying who was first when ``gate`` no longer waits for an answer."""
    gate.refresh_from_db(fields=["status", "answer", "answered_at"])
    check_open(gate)


def fork(*, gate: Gate, user: User) -> Run:
    """Start a run beside the one of ``gate``, from its proposal on. Raises ``Refused`` and ``BadInput``."""
    require(user, gate.run.study, Role.RESEARCHER)
    return fork_run(gate, by=user.get_username(), user=user)


def claim(*, gate: Gate, user: User) -> Review:
    """Show others that ``user`` is looking; it ends by itself. Raises ``Conflict`` while somebody else holds it."""
    require(user, gate.run.study, Role.RESEARCHER)
    now = timezone.now()
    free = Review.objects.filter(gate=gate, status=Review.Status.OPEN).exclude(
        claimed_until__gt=now, claimed_by__isnull=False
    )
    mine = Review.objects.filter(gate=gate, status=Review.Status.OPEN, claimed_by_id=user.pk)
    if not (free | mine).update(claimed_by_id=user.pk, claimed_until=now + CLAIM_TIME):
        review = Review.objects.select_related("claimed_by").get(gate=gate)
        raise Conflict(
            f"{review.claimed_by or 'Somebody'} is looking at this review until {review.claimed_until:%H:%M}."
        )
    return Review.objects.select_related("claimed_by").get(gate=gate)


def release(*, gate: Gate, user: User) -> None:
    """Give up a claim."""
    Review.objects.filter(gate=gate, claimed_by_id=user.pk).update(claimed_by=None, claimed_until=None)


def save_draft(*, gate: Gate, user: User, fields: dict[str, Any]) -> Draft:
    """Keep what ``user`` has typed on the card."""
    draft, _ = Draft.objects.update_or_create(
        gate=gate, user_id=user.pk, defaults={"fields": clean_value(fields)}
    )
    return draft


def add_member(*, study: Study, user: User, role: str = Role.VIEWER) -> Membership:
    """Make ``user`` a member of ``study``, or change their role."""
    member, _ = Membership.objects.update_or_create(study=study, user_id=user.pk, defaults={"role": role})
    return member
