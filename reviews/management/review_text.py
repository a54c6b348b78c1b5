"""A review for a terminal, and the same as plain data for scripts."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from agents.core.gates import VERDICTS, GateKind, GateRequest
from agents.core.workflow import is_workflow
from agents.models import Gate
from reviews.models import Decision, Opinion, ReaderAdvice, Review
from reviews.permissions import role_in
from reviews.present.card import Card, make_card
from reviews.present.diffs import Piece
from reviews.present.figures import quantity, span
from reviews.present.kept import kept_of
from reviews.present.lists import CardItem, card_items
from reviews.present.people import People, people_of
from reviews.present.policy import why
from reviews.present.tooling import action_spec, specs_of

SHORT = 8


def review_data(review: Review, user: User) -> dict[str, Any]:
    """Return a review as plain JSON, as ``user`` may see it; ``request`` is all that the card shows."""
    gate, decision = review.gate, getattr(review, "decision", None)
    people = _people(review, user)
    return {
        **row_data(review),
        "digest": people.digest,
        "why": why(gate.judgement),
        "opinions": [_opinion(row) for row in people.said],
        "request": gate.request,
        "decision": _decision(decision),
    }


def row_data(review: Review) -> dict[str, Any]:
    """Return a review as a row of a list."""
    gate, run = review.gate, review.run
    return {
        "review": str(review.pk),
        "status": review.status,
        "kind": gate.kind,
        "study": run.study.slug,
        "run": f"{run.study.slug}#{run.number}",
        "round": gate.round,
        "title": review.title,
        "risk": review.risk,
        "cost": review.cost,
        "opened_at": review.opened_at.isoformat(),
        "mode": review.mode,
        "needs_role": review.needs_role,
        "is_disputed": review.is_disputed,
        "assigned_to": review.assigned_to.get_username() if review.assigned_to else "",
        "due_at": review.due_at.isoformat() if review.due_at else "",
        "claimed_by": review.claimed_by.get_username() if review.claimed_by else "",
        "verdicts": [str(verdict) for verdict in VERDICTS[GateKind(gate.kind)]],
    }


def _people(review: Review, user: User) -> People:
    role = role_in(user, review.run.study)
    return people_of(review, user=user, role=role, gate_digest=review.gate.digest)


def _opinion(row: Opinion) -> dict[str, Any]:
    fields = ("by", "role", "verdict", "reason_code", "note", "answer")
    return {**{name: getattr(row, name) for name in fields}, "at": row.at.isoformat()}


def _decision(decision: Decision | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    fields = ("verdict", "by", "role", "channel", "reason_code", "note", "proposed", "answer")
    return {**{name: getattr(decision, name) for name in fields}, "at": decision.at.isoformat()}


def row_line(review: Review) -> str:
    """Return a review on one line: id, run, round, what, risk, how long it has waited."""
    gate = review.gate
    waited = span((timezone.now() - review.opened_at).total_seconds())
    state = f"waiting {waited}" if review.status == Review.Status.OPEN else review.status
    where = f"{review.run.study.slug}#{review.run.number} round {gate.round}"
    return f"{str(review.pk)[:SHORT]}  {where}  {gate.kind}  {review.risk} risk  {state}  {review.title}"


def review_lines(review: Review, user: User) -> Iterator[str]:
    """Return the card for a reader, and what may be answered."""
    gate = review.gate
    card = _card(gate)
    yield review.title
    yield f"{row_data(review)['run']}, round {gate.round}, {gate.kind}, {review.risk} risk, cost {card.cost:g}"
    yield f"Review {review.pk}, digest {gate.digest[:12]}"
    yield from _of_card(card)
    yield from _of_items(card_items(card.action, specs_of(gate.run), gate.request["content"]))
    for one in kept_of(gate.run, card.action) if review.status == "open" else []:
        what = f"Step {one.step}" if one.step else "This"
        yield f"{what} was called like this before: its result of {one.made_at:%Y-%m-%d %H:%M} is taken, nothing runs."
    yield from _of_people(review, user)
    decision: Decision | None = getattr(review, "decision", None)
    if decision is not None:
        yield f"\nDecided: {decision.verdict} by {decision.by} at {decision.at:%Y-%m-%d %H:%M:%S} UTC. {decision.note}".rstrip()
    elif review.status == Review.Status.OPEN:
        yield f"\nAnswer with `manage.py review VERB {str(review.pk)[:SHORT]}`: {', '.join(verbs_of(gate))}"


def _of_people(review: Review, user: User) -> Iterator[str]:
    people = _people(review, user)
    yield from (line for line in (why(review.gate.judgement), people.sentence) if line)
    advice: ReaderAdvice | None = getattr(review, "advice", None)
    if advice is not None:
        yield f"First reader ({advice.model}) leans to {advice.leans}: {' '.join(advice.reasons)}"
    if review.status == Review.Status.OPEN and review.assigned_to:
        yield f"Given to {review.assigned_to.get_username()}"
    if review.status == Review.Status.OPEN and review.due_at:
        yield f"Until {review.due_at:%Y-%m-%d %H:%M} UTC; then {review.on_deadline}"
    for row in people.said:
        yield f"Said by {row.by}: {row.verdict}. {row.note}".rstrip()
    if people.edit:
        changed = (people.edit.answer.get("action") or {}).get("arguments", {})
        yield f"{people.edit.by} changed it; you approve or veto: {changed}"


def kept_sentence(mine: Opinion) -> str:
    """Return what becomes of an opinion that decided nothing: it waits for another one, or differs from it."""
    review = Review.objects.get(pk=mine.review_id)
    if not review.is_disputed:
        return "Kept. Somebody else must agree before anything happens."
    others = review.opinions.exclude(pk=mine.pk).order_by("at")
    said = ", ".join(f"{row.by} said {row.verdict}" for row in others)
    return (
        f"Kept. You disagree: {said}. An owner who is neither of you decides; "
        f"`manage.py review show {str(review.pk)[:SHORT]}` tells both opinions."
    )


def verbs_of(gate: Gate) -> list[str]:
    """Return the verbs of the command that answer this gate."""
    return [str(verdict).replace("_", "-") for verdict in VERDICTS[GateKind(gate.kind)]]


def _card(gate: Gate) -> Card:
    request = GateRequest.model_validate(gate.request)
    content = request.content
    action = content.get("action") or (content.get("proposal") or {}).get("action")
    return make_card(request, state=gate.run.state or {}, spec=action_spec(gate.run, action))


def _of_card(card: Card) -> Iterator[str]:
    if card.hypothesis:
        yield f"\nHypothesis  {card.hypothesis}"
        if card.change:
            yield f"  changed:  {''.join(map(_piece, card.change))}"
        if card.refuted_by:
            yield f"  refuted by:  {card.refuted_by}"
    if card.action:
        yield f"\nAction  {card.tool_title} ({card.action.tool})" + (
            f", {card.origin}" if card.origin else ""
        )
        for argument in () if is_workflow(card.action) else card.arguments:
            was = f"  (last round {argument.was})" if argument.is_changed else ""
            yield f"  {argument.name} = {quantity(argument.value, argument.unit)}{was}"
    if card.prediction:
        expected = card.prediction
        yield f"\nExpects  {expected['objective']} {expected['mean']:g} ({expected['low']:g} to {expected['high']:g} {expected['unit']})"
    if card.reason:
        yield f"Why  {card.reason}"
    for near in card.nearest:
        differs = ", ".join(f"{name} {there} instead of {here}" for name, there, here in near.differs)
        yield f"Near  {quantity(near.value, near.unit)}: {differs or 'the same conditions'}"
    yield from (f"Warning  {warning}" for warning in card.warnings)
    if card.text:
        yield f"\n{card.text}"
    yield from (f"  {one.get('message') or one}" for one in card.tries)


def _of_items(items: list[CardItem]) -> Iterator[str]:
    for item in items:
        uses = f"  (uses step {', '.join(str(step) for step in item.uses)})" if item.uses else ""
        yield f"  {item.step}  {item.title} ({item.tool}){uses}"
        yield from (f"     {a.name} = {quantity(a.value, a.unit)}" for a in item.arguments)
        if item.prediction:
            p = item.prediction
            yield f"     expects {p['objective']} {p['mean']:g} ({p['low']:g} to {p['high']:g} {p['unit']})"
        yield from (f"     Warning  {warning}" for warning in item.warnings)


def _piece(piece: Piece) -> str:
    return {"same": piece.text, "added": f"[+{piece.text}]", "removed": f"[-{piece.text}]"}[piece.kind]
