"""What people do to reviews: decide, claim, draft. One transaction each."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents.core.errors import BadInput, Conflict
from agents.core.gates import Answer, GateKind, Verdict
from agents.core.text import clean_value
from agents.models import Gate, Run, Study
from agents.services import deliver, fork_run, prepare_answer
from agents.services.gates import action_of, check_open
from reviews.bench.files import with_files
from reviews.models import BenchDraft, Decision, Draft, Membership, Review, Role
from reviews.permissions import require

CLAIM_TIME = timedelta(minutes=5)

_SUBSTANCE = ("note", "reason_code", "action_digest", "result", "hypothesis", "prediction")
"""What makes two answers the same one."""


def decide(
    *,
    gate: Gate,
    user: User,
    verdict: str,
    shown_digest: str,
    channel: str = "web",
    **fields: Any,
) -> Decision:
    """Take the decision on ``gate`` as ``user`` and return it.

    ``fields`` as for ``agents.services.prepare_answer``. Of any number of people at once one wins; the others get
    ``Conflict`` saying who was first. The same decision by the same person again is the first one, a success.
    Raises ``Refused`` when the role is too low, ``BadInput`` with problems by field.
    """
    least = Role.RESEARCHER if gate.kind == GateKind.RESULT else Role.REVIEWER
    role = require(user, gate.run.study, least)
    if verdict == Verdict.ANSWER:
        fields["result"] = with_files(gate, fields.get("result") or {})
    given = {"verdict": verdict, "by": user.get_username(), **fields}
    gate.refresh_from_db(fields=["status", "answer", "answered_at"])
    try:
        check_open(gate)
        answer = prepare_answer(gate, **given)
        answer = answer.model_copy(update={"review_id": str(gate.pk)})
        return _store(gate, user, answer, role=role, shown_digest=shown_digest, channel=channel)
    except Conflict:
        # Here too, since both posts of a double click may find the gate open.
        first = _same_decision(gate, user, given, shown_digest)
        if first is None:
            raise
        return first


@transaction.atomic
def _store(
    gate: Gate, user: User, answer: Answer, *, role: Role, shown_digest: str, channel: str
) -> Decision:
    gate = deliver(gate, answer, shown_digest=shown_digest)
    proposed = action_of(gate)
    decision = Decision.objects.create(
        review_id=gate.pk,
        verdict=answer.verdict,
        user=user,
        by=answer.by,
        role=role,
        source=answer.source,
        channel=channel,
        reason_code=answer.reason_code,
        note=answer.note,
        proposed=proposed.model_dump(mode="json") if proposed else {},
        answer=answer.model_dump(mode="json"),
        shown_digest=shown_digest,
        at=timezone.now(),
    )
    Draft.objects.filter(gate=gate).delete()
    BenchDraft.objects.filter(gate=gate).delete()
    return decision


def _same_decision(gate: Gate, user: User, given: dict[str, Any], shown_digest: str) -> Decision | None:
    """Return the decision that ``user`` took before, when it is the one that is ``given`` again."""
    first = Decision.objects.filter(review_id=gate.pk, user_id=user.pk, shown_digest=shown_digest).first()
    if first is None or first.verdict != given["verdict"]:
        return None
    try:
        again = prepare_answer(gate, against_ledger=False, **given)
    except BadInput:
        return None
    taken = Answer.model_validate(first.answer)
    return first if all(getattr(taken, name) == getattr(again, name) for name in _SUBSTANCE) else None


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
