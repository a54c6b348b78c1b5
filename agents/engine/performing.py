"""One call through the journal: tried again where its effect class allows it, never twice unless it may be."""

import random
from dataclasses import dataclass
from typing import Any

from agents.core.errors import OutcomeUnknown
from agents.core.tools import Action, EffectClass, ToolResult, ToolSpec
from agents.engine.deps import Deps
from agents.engine.substitutes import stand_in

BACK_OFF_SECONDS = 1.0
PASSING = frozenset({"transient", "timeout"})
MAY_HAVE_HAPPENED = frozenset({"transient", "timeout", "unknown"})
"""Faults after which nobody can say whether a blind effect took place: a person is asked."""


@dataclass(frozen=True)
class Performed:
    """The result and the attempt that gave it; without a result nobody knows what came of that attempt."""

    result: ToolResult | None
    attempt: int


async def perform(deps: Deps, key: str, action: Action, spec: ToolSpec, attempt: int) -> Performed:
    """Call the tool, trying a passing fault again where its effect class allows it. Each try has its own row."""
    # Tries share one idempotency key, so that a service that honours it does the work once.
    same = f"{deps.journal.run_id}:{key}:{attempt}"
    for tried in range(1 + spec.retries):
        result = await _call(deps, key, action, spec, attempt, idempotency_key=same)
        if result is None or _may_have_happened(result, spec):
            return Performed(None, attempt)
        if result.fault == "timeout":
            instead = await stand_in(deps, action, spec, result, key=key)
            if instead is not None:
                return Performed(instead, attempt)
        if result.fault not in PASSING or tried == spec.retries:
            return Performed(result, attempt)
        await deps.pause(BACK_OFF_SECONDS * 2**tried * random.uniform(0.5, 1.5))  # noqa: S311  (spreads retries)
        attempt += 1
    raise AssertionError("the last try returns")


def _may_have_happened(result: ToolResult, spec: ToolSpec) -> bool:
    is_blind = spec.effect is EffectClass.BLIND
    return is_blind and result.started and result.fault in MAY_HAVE_HAPPENED


async def _call(
    deps: Deps, key: str, action: Action, spec: ToolSpec, attempt: int, *, idempotency_key: str
) -> ToolResult | None:
    """Return the result of one try, or None when it started earlier and nobody knows what became of it."""

    async def call() -> dict[str, Any]:
        result = await deps.toolbox.call(action, idempotency_key=idempotency_key)
        return result.model_dump(mode="json")

    try:
        result = await deps.journal.once(
            key, call, effect=spec.effect, request=action.model_dump(mode="json"), attempt=attempt
        )
    except OutcomeUnknown:
        return None
    return ToolResult.model_validate(result)
