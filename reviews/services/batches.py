"""Several reviews decided as one list: of one tool and policy only, and each keeps a decision of its own."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import BadInput, DaybookError
from agents.core.gates import REASON_CODES, GateKind, Verdict
from agents.core.text import clean_text
from agents.services.gates import NOTE_LIMIT
from reviews.inbox import ORDERS, needs, reviews_of
from reviews.models import Decision, Membership, Review, Role
from reviews.permissions import RANK, is_admin
from reviews.services.decisions import decide, least_role
from reviews.services.signing import is_signed

TOGETHER = (Verdict.APPROVE, Verdict.VETO)
MOST = 100
"""Reviews that one list may hold: more would not be read."""

_VERSIONED = re.compile(r" v\d+(, rule \d+)?$")


@dataclass(frozen=True)
class LeftOut:
    """A review of the same tool and policy that must be decided by itself, and why."""

    review: Review
    why: str


@dataclass(frozen=True)
class Outcome:
    """What became of one review of a list: its decision, or what hindered it."""

    review: Review
    decision: Decision | None = None
    told: str = ""


def alike(review: Review, user: User) -> QuerySet[Review]:
    """Return the open reviews of the tool and policy of ``review`` that ``user`` may decide in one list with it.

    A table that a study wrote is that study's; a preset is the same policy in every study. Nothing is like a
    review without a tool of its own: a list of actions, a question, a proposal to finish.
    """
    rows = _same(review, user).filter(needs(user, timezone.now()))
    rows = rows.filter(gate__kind=GateKind.PROPOSAL, mode="review", is_disputed=False)
    return rows.exclude(run__policy_table__is_signed=True).order_by(*ORDERS["risk"])


def left_out(review: Review, user: User, *, limit: int = MOST) -> list[LeftOut]:
    """Return the open reviews of the same tool and policy that are not among ``alike``, each with the reason."""
    now = timezone.now()
    rows = _same(review, user).exclude(pk__in=alike(review, user).values("pk").order_by())
    roles = _roles_of(user)
    rows = rows.order_by(*ORDERS["oldest"])[:limit]
    return [LeftOut(row, _why_alone(row, user, roles(row), now)) for row in rows]


def _same(review: Review, user: User) -> QuerySet[Review]:
    rows = reviews_of(user).filter(status=Review.Status.OPEN, tool=review.tool, policy=review.policy)
    if not review.tool or not review.policy:
        return rows.none()
    return rows.filter(study_id=review.study_id) if _VERSIONED.search(review.policy) else rows


def _why_alone(review: Review, user: User, role: Role | None, now: datetime) -> str:
    """Return why ``user`` cannot decide ``review`` within a list, or an empty text."""
    least = least_role(review)
    if review.is_disputed:
        return _("two people disagree about it")
    if review.mode == "second":
        return _("it needs a second opinion: two people decide it, each by themselves")
    if review.mode == "four_eyes":
        return _("it needs another person's yes")
    if role is None or RANK[role] < RANK[least]:
        return _("it needs the role %(role)s") % {"role": least.label.lower()}
    if is_signed(review.run):
        return _("its decision is signed, one by one")
    if review.gate.kind != GateKind.PROPOSAL:
        return _("it asks for an answer of its own")
    if review.claimed_by_id not in (None, user.pk) and review.claimed_until and review.claimed_until > now:
        return _("%(name)s is looking at it") % {"name": review.claimed_by}
    if review.assigned_to_id not in (None, user.pk):
        return _("it was given to %(name)s") % {"name": review.assigned_to}
    return ""


def decide_batch(
    *,
    user: User,
    picks: Iterable[tuple[UUID, str]],
    verdict: str,
    note: str = "",
    reason_code: str = "",
    channel: str = "web batch",
) -> list[Outcome]:
    """Give each of ``picks`` (a gate's id and the digest that was shown) the same verdict; return what became of each.

    Every one is a decision and a compare-and-swap of its own: one that was decided meanwhile is told and holds up
    none of the others. Raises ``BadInput`` before anything is decided when the list as a whole cannot be: empty, too
    long, not of one tool and policy, or an answer that no list may be given.
    """
    shown = dict(picks)
    _check(verdict, note, reason_code, len(shown))
    found = sorted(reviews_of(user).filter(pk__in=shown), key=lambda row: list(shown).index(row.pk))
    kinds = {(row.tool, row.policy, row.study_id if _VERSIONED.search(row.policy) else None) for row in found}
    if len(kinds) != 1 or any(not part for kind in kinds for part in kind[:2]):
        raise BadInput(
            _("Only reviews of the same tool and policy are decided as one list. Decide these one by one.")
        )
    given: dict[str, Any] = {
        "verdict": verdict,
        "note": note,
        "reason_code": reason_code,
        "channel": channel,
    }
    roles = _roles_of(user)
    return [_decide(row, user, roles(row), shown[row.pk], given) for row in found]


def _roles_of(user: User) -> Callable[[Review], Role | None]:
    """Return what tells the role of ``user`` in the study of a review: one query for any number of studies."""
    rows = dict(Membership.objects.filter(user_id=user.pk).values_list("study_id", "role"))
    if is_admin(user):
        return lambda review: Role.OWNER
    return lambda review: Role(rows[review.study_id]) if review.study_id in rows else None


def _check(verdict: str, note: str, reason_code: str, count: int) -> None:
    if verdict not in TOGETHER:
        raise BadInput(
            _("A list of reviews is approved or vetoed; every other answer is given to one review.")
        )
    if not count:
        raise BadInput(_("No review is ticked. Tick those that this decides."))
    if count > MOST:
        raise BadInput(
            _("%(n)s reviews are ticked; one list decides %(most)s at most.") % {"n": count, "most": MOST}
        )
    if verdict == Verdict.VETO and reason_code not in REASON_CODES:
        told = _("Choose a reason: the reasoner reads it.")
        raise BadInput(told, [{"field": "reason_code", "message": told}])
    if len(clean_text(note)) > NOTE_LIMIT:
        raise BadInput(_("The note is longer than %(n)s characters.") % {"n": NOTE_LIMIT})


def _decide(review: Review, user: User, role: Role | None, digest: str, given: dict[str, Any]) -> Outcome:
    why = _why_alone(review, user, role, timezone.now()) if review.status == Review.Status.OPEN else ""
    if why:
        return Outcome(review, told=_("Left out: %(why)s.") % {"why": why})
    review.gate.run = review.run
    try:
        taken = decide(gate=review.gate, user=user, shown_digest=digest, **given)
    except DaybookError as fault:
        return Outcome(review, told=str(fault))
    assert isinstance(taken, Decision)
    return Outcome(review, decision=taken)
