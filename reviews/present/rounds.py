"""Events in groups by round, as the live page and the timeline show them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from agents.models import Event


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
    return [Round(number, [event for _, event in rows]) for number, rows in groupby(placed, key=lambda row: row[0])]
