"""Loop control: what an action must not do, judged from the last few steps. Pure rules."""

import difflib
from typing import Any

from agents.core.brief import Step
from agents.core.canonical import canonical_json
from agents.core.science import Value
from agents.core.tools import Action, ToolSpec

TOOL_TIMES, TOOL_WINDOW = 2, 3
"""The same tool at most twice in three rounds, unless its specification says that it may repeat."""

CYCLE_WINDOW = 5
FAILURES = 3
STANDSTILL = 3
NEAR = 0.92


class Trip(Value):
    """A guard that tripped: its name, and a reason that the reasoner and people read."""

    guard: str
    reason: str


def trips(
    action: Action, spec: ToolSpec, steps: list[Step], *, idle_steps: int, limit: int | None
) -> list[Trip]:
    """Return the guards that ``action`` trips after ``steps`` (oldest first).

    Experiments are left to the ledger gate, which knows every one of them. ``idle_steps`` counts the steps
    since the last experiment; at most ``limit`` of them are taken without asking.
    """
    found = [_failing(steps)]
    if not spec.is_experiment:
        found += [_limit(idle_steps, limit), _repeat(action, spec, steps), _cycle(action, steps)]
        found.append(_standstill(steps))
    return [trip for trip in found if trip is not None]


def _limit(idle_steps: int, limit: int | None) -> Trip | None:
    if limit is None or idle_steps < limit:
        return None
    reason = f"{idle_steps} steps went by without an experiment. Propose one, or finish with what is known."
    return Trip(guard="step_limit", reason=reason)


def _repeat(action: Action, spec: ToolSpec, steps: list[Step]) -> Trip | None:
    if spec.may_repeat:
        return None
    recent = [step.action.tool for step in steps[-(TOOL_WINDOW - 1) :]]
    if recent.count(action.tool) < TOOL_TIMES:
        return None
    reason = (
        f"{action.tool} was used in the last {TOOL_TIMES} rounds already. Use what it gave, or another tool."
    )
    return Trip(guard="tool_repeat", reason=reason)


def _cycle(action: Action, steps: list[Step]) -> Trip | None:
    for step in reversed(steps[-CYCLE_WINDOW:]):
        if step.action == action:
            reason = f"Exactly this was done in round {step.round} and gave: {step.outcome}. Use that result."
            return Trip(guard="cycle_exact", reason=reason)
    for step in reversed(steps[-CYCLE_WINDOW:]):
        if is_near(step.action, action) and not step.outcome.startswith("failed"):
            reason = f"Nearly this was done in round {step.round} and gave: {step.outcome}. Say what differs, or go on."
            return Trip(guard="cycle_near", reason=reason)
    return None


def is_near(left: Action, right: Action) -> bool:
    """Return True for the same tool with arguments that differ only in wording or by under 1 %."""
    if left.tool != right.tool or left.arguments.keys() != right.arguments.keys() or not left.arguments:
        return False
    return all(_close(left.arguments[name], right.arguments[name]) for name in left.arguments)


def _close(left: Any, right: Any) -> bool:
    if isinstance(left, int | float) and isinstance(right, int | float):
        return abs(left - right) <= 0.01 * max(abs(left), abs(right))
    if isinstance(left, str) and isinstance(right, str):
        left, right = left.casefold(), right.casefold()
        return _most_alike(left, right) >= NEAR and difflib.SequenceMatcher(None, left, right).ratio() >= NEAR
    return canonical_json(left) == canonical_json(right)


def _most_alike(left: str, right: str) -> float:
    """Return an upper bound of the ratio of two texts, by their letters alone; most texts fall below what is near."""
    common = sum(min(left.count(letter), right.count(letter)) for letter in set(left))
    length = len(left) + len(right)
    return 2 * common / length if length else 1.0


def _standstill(steps: list[Step]) -> Trip | None:
    """Different actions that all give the same: whatever is asked, nothing new is learnt."""
    last = steps[-STANDSTILL:]
    if len(last) < STANDSTILL or last[-1].outcome.startswith("failed"):
        return None
    if len({step.outcome for step in last}) > 1 or any(step.stance for step in last):
        return None
    reason = (
        f"The last {STANDSTILL} steps all gave the same: {last[-1].outcome}. Ask something else, or go on."
    )
    return Trip(guard="no_progress", reason=reason)


def _failing(steps: list[Step]) -> Trip | None:
    last = steps[-FAILURES:]
    if len(last) < FAILURES or not all(step.outcome.startswith("failed") for step in last):
        return None
    reason = f"The last {FAILURES} actions failed: {last[-1].outcome}. Choose another way."
    return Trip(guard="no_progress", reason=reason)
