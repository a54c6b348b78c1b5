"""Events in groups by round, as the live page and the timeline show them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from agents.core.events import KINDS
from agents.models import Event

SAID_ELSEWHERE = frozenset({"round.started", "round.completed", "review.opened"})
"""Kinds whose news another event of the round tells: the heading, the result, the card."""


@dataclass(frozen=True)
class Round:
    """The events of one round, in the order asked for. Number 0 holds what came before the first."""

    number: int
    events: list[Event] = field(default_factory=list)


def by_round(events: Iterable[Event], *, before: int = 0, newest_first: bool = False) -> list[Round]:
    """Group ``events``, given oldest first, by round.

    An event of no round (a pause, a change of budget) belongs to the round that was under way: ``before``
    is the one under way when the first of them happened. The live page puts new rows by the same rule.
    """
    placed: list[tuple[int, Event]] = []
    current = before
    for event in events:
        current = event.round if event.round is not None else current
        placed.append((current, event))
    if newest_first:
        placed.reverse()
    return [
        Round(number, [event for _, event in rows])
        for number, rows in groupby(placed, key=lambda row: row[0])
    ]


def is_quiet(event: Event) -> bool:
    """Return True for bookkeeping, which the live page folds away unless asked for."""
    if event.kind == "model.called" and event.payload.get("fault"):
        return False
    kind = KINDS.get(event.kind)
    if kind is not None and kind.is_quiet:
        return True
    if event.kind == "effect.finished":
        # An experiment's result is told where it is filed, a reasoner's answer by its proposal.
        return "/act/" not in event.payload.get("key", "") or event.payload["key"].endswith("/measure")
    return event.kind in SAID_ELSEWHERE
