"""Who is asked about a review and what several of them said, for the card."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from reviews.models import Opinion, Review, Role
from reviews.permissions import RANK
from reviews.services.decisions import least_role
from reviews.services.opinions import waiting_edit


@dataclass(frozen=True)
class People:
    """What the card says of people. ``opinions`` are those that this reader may see."""

    may_decide: bool
    digest: str
    """What an approval of this reader names."""
    said: list[Opinion] = field(default_factory=list)
    count: int = 0
    has_said: bool = False
    edit: Opinion | None = None
    """Somebody's edit that waits for this reader's yes."""
    sentence: str = ""


def people_of(review: Review, *, user: Any, role: Role | None, gate_digest: str) -> People:
    """Return who must agree to ``review`` and what ``user`` may see of it and do.

    While a blind second is awaited, nobody sees what the first one said but the first one.
    """
    if review.mode == "review":
        return People(may_decide=_may(review, role), digest=gate_digest)
    opinions = list(review.opinions.all())
    mine = any(row.user_id == user.pk for row in opinions)
    is_blind = review.mode == "second" and review.status == Review.Status.OPEN and not review.is_disputed
    edit = waiting_edit(review, user)
    may = _may(review, role) and not mine
    return People(
        may_decide=may,
        digest=str(edit.answer["action_digest"]) if edit else gate_digest,
        said=[row for row in opinions if row.user_id == user.pk] if is_blind else opinions,
        count=len(opinions),
        has_said=mine,
        edit=edit,
        sentence=_sentence(review, len(opinions)) if review.status == Review.Status.OPEN else "",
    )


def _may(review: Review, role: Role | None) -> bool:
    return role is not None and RANK[role] >= RANK[least_role(review)]


def _sentence(review: Review, count: int) -> str:
    if review.is_disputed:
        return _("Two people disagree. An owner who is neither of them decides.")
    if review.mode == "second":
        return _("Two people decide, each without seeing what the other says. %(n)s of 2 have answered.") % {
            "n": count
        }
    if count:
        return _("Four eyes: one person has said yes, and another must.")
    return _("Four eyes: whoever started the run or edits this is not its only approver.")
