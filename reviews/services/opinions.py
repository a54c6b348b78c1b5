"""Reviews that one person does not decide alone: a blind second, four eyes, and an owner where they disagree."""

from django.contrib.auth.models import User
from django.utils import timezone

from agents.core.errors import Conflict, Refused
from agents.core.gates import Answer, Verdict
from agents.models import Gate
from agents.services.gates import check_open
from agents.store.log import append, lock_run
from reviews.models import Decision, Opinion, RecordEntry, Review, Role
from reviews.record.entries import record_row
from reviews.services.recording import is_same, record, said_by
from reviews.signals import review_changed

BY_LIMIT = 150


def needs_several(review: Review, user: User, verdict: str) -> bool:
    """Return True when what ``user`` says is an opinion, not yet the decision.

    Anybody who may decide may stop a run at once. Four eyes: the person who started the run, and whoever edits
    the proposal, is not its only approver; a veto needs nobody's consent.
    """
    if verdict == Verdict.STOP or review.is_disputed or review.mode == "review":
        return False
    if review.mode == "second":
        return True
    if verdict == Verdict.VETO:
        return False
    return verdict == Verdict.EDIT or review.run.created_by_id == user.pk or review.opinions.exists()


def check_adjudicator(review: Review, user: User, role: Role) -> None:
    """Raise ``Refused`` unless ``user`` may decide what two people disagree on: an owner who is neither of them."""
    if role != Role.OWNER:
        raise Refused("Two people disagree about this review; an owner decides.")
    if review.opinions.filter(user_id=user.pk).exists():
        raise Refused(
            "You are one of the two who disagree; another owner or an administrator decides. Who may review may stop the run."
        )


def shown_to(review: Review, gate: Gate, user: User) -> str:
    """Return the digest of what ``user`` is asked to approve: with four eyes, of the edit that waits for them."""
    first = waiting_edit(review, user)
    return str(first.answer["action_digest"]) if first else gate.digest


def waiting_edit(review: Review, user: User) -> Opinion | None:
    """Return the edit of somebody else that waits for ``user``'s yes under four eyes, or None."""
    if review.mode != "four_eyes" or review.is_disputed or review.status != Review.Status.OPEN:
        return None
    rows = review.opinions.all()
    return next((row for row in rows if row.user_id != user.pk and row.verdict == Verdict.EDIT), None)


def give(
    gate: Gate, user: User, answer: Answer, *, role: Role, shown_digest: str, channel: str
) -> Decision | Opinion:
    """Store what ``user`` says, and decide when enough people agree; call inside a transaction.

    Raises ``Conflict`` when the review was closed first, when what was shown is not what is asked, and when this
    person said something else before: an opinion is not taken back.
    """
    run = lock_run(gate.run_id)
    gate = Gate.objects.select_for_update().get(pk=gate.pk)
    check_open(gate)
    review = Review.objects.select_related("run").get(pk=gate.pk)
    before = list(review.opinions.all())
    mine = next((row for row in before if row.user_id == user.pk), None)
    if mine is not None:
        if is_same(Answer.model_validate(mine.answer), answer):
            return mine
        raise Conflict("You have said what you think of this review already; it waits for somebody else.")
    if shown_digest != shown_to(review, gate, user):
        raise Conflict("The proposal changed while you were reading it. Look at it again, then decide.")
    opinion = Opinion.objects.create(
        review=review,
        user=user,
        by=answer.by,
        role=role,
        verdict=answer.verdict,
        reason_code=answer.reason_code,
        note=answer.note,
        answer=answer.model_dump(mode="json"),
        shown_digest=shown_digest,
        channel=channel,
        at=timezone.now(),
    )
    said = [*before, opinion]
    # Without the verdict: whoever reads the log may be the one who is to answer blind.
    payload = {"gate": gate.key, "by": answer.by, "count": len(said)}
    append(run, "opinion.given", payload, round=gate.round, key=f"{gate.key}/opinion/{len(said)}")
    record_row(RecordEntry.Kind.OPINION, opinion)
    Review.objects.filter(pk=gate.pk, claimed_by_id=user.pk).update(claimed_by=None, claimed_until=None)
    if len(said) == 1:
        review_changed.send(sender=Review, review=review, what="second", by=user)
        return opinion
    joint = _joint(review, said)
    if joint is not None:
        return record(gate, joint, user=user, role=role, channel=channel)
    review.is_disputed, review.assigned_to = True, None
    review.save(update_fields=["is_disputed", "assigned_to"])
    verdicts = {row.by: row.verdict for row in said}
    payload = {"gate": gate.key, "by": answer.by, "verdicts": verdicts}
    append(run, "review.disputed", payload, round=gate.round, key=f"{gate.key}/disputed")
    review_changed.send(sender=Review, review=review, what="disputed", by=user)
    return opinion


def _joint(review: Review, said: list[Opinion]) -> Answer | None:
    """Return the answer that two opinions make together, or None when they disagree."""
    first, second = (Answer.model_validate(row.answer) for row in said[:2])
    both: dict[str, object] = {
        "by": ", ".join(row.by for row in said)[:BY_LIMIT],
        "note": "\n".join(f"{row.by}: {row.note}" for row in said if row.note),
        "opinions": said_by(said),
    }
    if review.mode == "four_eyes":
        return _second_pair(first, second, both)
    if first.verdict != second.verdict:
        return None
    if first.verdict is Verdict.VETO:
        return second.model_copy(update=both)
    same = all(
        getattr(first, name) == getattr(second, name)
        for name in ("action_digest", "result", "hypothesis", "prediction")
    )
    return second.model_copy(update=both) if same else None


def _second_pair(first: Answer, second: Answer, both: dict[str, object]) -> Answer | None:
    """The second person approves what the first one approved or edited, or vetoes it; another edit is a dispute."""
    if second.verdict is Verdict.VETO:
        return second.model_copy(update=both)
    if second.verdict is Verdict.APPROVE:
        return first.model_copy(update={**both, "at": second.at})
    return None
