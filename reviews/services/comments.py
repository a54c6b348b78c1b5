"""Comments on passages of a proposal: kept with the place they are about, and told to the reasoner."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import BadInput, Conflict
from agents.core.quotes import find_quotes
from agents.core.text import clean_text, shorten
from agents.models import Gate, Run
from agents.services.gates import action_of, check_open
from agents.store.log import append, lock_run
from reviews.models import Comment, Review, Role
from reviews.permissions import require

TEXT_LIMIT = 1500
QUOTE_LIMIT = 1000
MOST = 100
"""Comments on one review."""

_QUOTED = 300


def parts_of(gate: Gate) -> dict[str, str]:
    """Return the texts of what ``gate`` asks that a passage may be quoted from, by part."""
    content = gate.request["content"]
    proposal = content.get("proposal") or {}
    hypothesis = proposal.get("hypothesis") or {}
    action = action_of(gate)
    told = {
        "hypothesis": hypothesis.get("text", ""),
        "refuted_by": hypothesis.get("refuted_by", ""),
        "reason": proposal.get("reason", ""),
        "text": content.get("instructions") or content.get("problem") or content.get("answer") or "",
        **{f"arg.{name}": str(value) for name, value in (action.arguments if action else {}).items()},
    }
    return {part: str(text) for part, text in told.items() if text}


def comment(
    *, gate: Gate, user: User, part: str, quote: str, text: str, start: int | None = None, send: bool = False
) -> Comment:
    """Keep what ``user`` says of ``quote``, a passage of ``part``; with ``send``, tell the reasoner now.

    ``start`` is where the passage begins, in characters, for one that stands there more than once. Raises
    ``BadInput`` with problems by field when the passage is not there or nothing is said, ``Conflict`` when the
    review is closed, ``Refused`` when the role is too low.
    """
    require(user, gate.run.study, Role.RESEARCHER)
    text = _said(text)
    begin, end = _place(gate, part, quote, start)
    with transaction.atomic():
        run = lock_run(gate.run_id)
        gate = Gate.objects.select_for_update().get(pk=gate.pk)
        check_open(gate)
        review = Review.objects.get(pk=gate.pk)
        if review.comments.count() >= MOST:
            raise BadInput(_("This review has %(n)s comments; no more are kept.") % {"n": MOST})
        kept = Comment.objects.create(
            review=review,
            part=part,
            quote=parts_of(gate)[part][begin:end],
            start=begin,
            end=end,
            text=text,
            user=user,
            by=user.get_username(),
            at=timezone.now(),
        )
        if send:
            _check_blind(review)
            _tell(run, gate, [kept])
    return kept


def send_comments(*, gate: Gate, user: User) -> int:
    """Tell the reasoner now what ``user`` has said of passages and was not told yet; return how many."""
    require(user, gate.run.study, Role.RESEARCHER)
    with transaction.atomic():
        run = lock_run(gate.run_id)
        check_open(Gate.objects.select_for_update().get(pk=gate.pk))
        review = Review.objects.get(pk=gate.pk)
        _check_blind(review)
        rows = list(review.comments.filter(user_id=user.pk, sent_at=None))
        _tell(run, gate, rows)
    return len(rows)


def tell_comments(gate: Gate) -> None:
    """Tell the reasoner what waits, with the decision of the review; call inside its transaction."""
    rows = list(Comment.objects.filter(review_id=gate.pk, sent_at=None))
    if rows:
        _tell(lock_run(gate.run_id), gate, rows)


def comments_for(review: Review, user: Any) -> list[Comment]:
    """Return the comments that ``user`` may see: while a blind second is awaited, only their own."""
    rows = list(review.comments.all())
    return [row for row in rows if row.user_id == user.pk] if _is_blind(review) else rows


def guidance_of(row: Comment) -> str:
    """Return a comment as the sentence that the reasoner reads."""
    return f"On “{shorten(row.quote, _QUOTED)}” ({row.part.removeprefix('arg.')}): {row.text}"


def _tell(run: Run, gate: Gate, rows: list[Comment]) -> None:
    for row in rows:
        append(run, "guidance.given", {"text": guidance_of(row), "by": row.by}, round=gate.round)
        row.sent_at = timezone.now()
        row.save(update_fields=["sent_at"])


def _said(text: str) -> str:
    text = clean_text(text).strip()
    if not text:
        raise _bad("text", _("Say what you think of the passage."))
    if len(text) > TEXT_LIMIT:
        told = _("The comment has %(n)s characters; at most %(most)s are kept.")
        raise _bad("text", told % {"n": len(text), "most": TEXT_LIMIT})
    return text


def _place(gate: Gate, part: str, quote: str, start: int | None) -> tuple[int, int]:
    text = parts_of(gate).get(part)
    if text is None:
        raise _bad("part", _("The proposal has no such part; choose one of the list."))
    if not quote.strip() or len(quote) > QUOTE_LIMIT:
        raise _bad("quote", _("Quote the passage: 1 to %(n)s characters of it.") % {"n": QUOTE_LIMIT})
    if start is not None and text[start : start + len(quote)] == quote:
        return start, start + len(quote)
    found = [(span.start, span.end) for span in find_quotes(quote, text)]
    exact = text.find(quote.strip())
    if not found and exact >= 0:
        found = [(exact, exact + len(quote.strip()))]
    if not found:
        raise _bad("quote", _("This passage is not in that part. Copy it from there, word for word."))
    return min(found, key=lambda place: abs(place[0] - (start or 0)))


def _bad(field: str, told: str) -> BadInput:
    return BadInput(told, [{"field": field, "message": told}])


def _is_blind(review: Review) -> bool:
    return review.mode == "second" and review.status == Review.Status.OPEN and not review.is_disputed


def _check_blind(review: Review) -> None:
    if _is_blind(review):
        raise Conflict(
            _("Two people decide this without seeing what the other says. Comments go out with the decision.")
        )
