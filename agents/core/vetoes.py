"""Negative knowledge: what a person refused warns of what is much like it."""

from collections.abc import Iterable
from typing import Any

from agents.core.brief import Veto
from agents.core.text import shorten
from agents.core.tools import Action

REASON_LIMIT = 300
"""Characters of a reason in a warning; the decision has all of it."""

NEAR = 0.05
"""Numbers within this share of each other count as alike."""


def likeness(left: Action, right: Action) -> list[str] | None:
    """Return the arguments in which two actions differ when they are much alike, else None.

    Much alike are calls of one tool with the same argument names where at most one in three arguments differs,
    one at least; numbers within 5 % do not count as different, though they are named.
    """
    if left.tool != right.tool or left.arguments.keys() != right.arguments.keys() or not left.arguments:
        return None
    pairs = {name: (value, right.arguments[name]) for name, value in left.arguments.items()}
    other = [name for name, (a, b) in pairs.items() if a != b]
    far = [name for name in other if not _is_near(*pairs[name])]
    return other if len(far) <= len(pairs) // 3 else None


def warnings_of(action: Action, vetoes: Iterable[Veto]) -> list[str]:
    """Return a sentence for the nearest veto that ``action`` is much like; none for what was refused exactly so:
    the gate refuses that itself."""
    alike = [(veto, differs) for veto in vetoes if (differs := likeness(action, veto.action)) is not None]
    if not alike:
        return []
    veto, differs = min(alike, key=lambda pair: (len(pair[1]), -pair[0].round))
    what = f"differs only in {', '.join(differs)}" if differs else "is exactly that"
    return [f"{_told(veto)} This {what}."]


def _told(veto: Veto) -> str:
    """Return who refused it, when, where and why, as a sentence."""
    by = {"": "", "policy": " by the policy", "deadline": " by a deadline"}.get(veto.by, f" by {veto.by}")
    when = f" on {veto.at[:10]}" if veto.at else ""
    where = veto.where or f"in round {veto.round}"
    why = " ".join(veto.text.split()) or veto.reason_code.replace("_", " ") or "no reason given"
    return f"Something like this was vetoed{by}{when} {where}: {shorten(why, REASON_LIMIT).rstrip('.')}."


def _is_near(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return bool(left == right)
    if not (isinstance(left, int | float) and isinstance(right, int | float)):
        return bool(left == right)
    return abs(left - right) <= NEAR * max(abs(left), abs(right))
