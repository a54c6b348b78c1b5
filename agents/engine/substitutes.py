"""What answers in place of a tool that timed out: its own earlier result, or the tool it declares. Both say so."""

from typing import Any

from agents.core.errors import BadInput
from agents.core.tools import Action, EffectClass, ToolResult, ToolSpec, may_stand_in
from agents.engine.deps import Deps


def fallback_of(spec: ToolSpec, specs: list[ToolSpec]) -> ToolSpec | None:
    """Return the tool that may answer in place of ``spec``, or None when it declares none that may."""
    found = next((other for other in specs if spec.fallback and other.name == spec.fallback), None)
    return found if found is not None and not may_stand_in(found, spec) else None


async def stand_in(
    deps: Deps, action: Action, spec: ToolSpec, timed_out: ToolResult, *, key: str
) -> ToolResult | None:
    """Return what answers in place of the call of ``key`` that ``timed_out``, or None when nothing does.

    An earlier result of the study for the same arguments and version comes first, when the tool's results keep
    (``cacheable``); a measurement is never taken from there. Then the declared fallback is called, in its own
    ledger row.
    """
    result = await _earlier(deps, action, spec) or await _fallback(deps, action, spec, key=key)
    if result is None:
        return None
    told = f"{spec.title or spec.name} timed out ({timed_out.error_message}); {result.told}"
    await deps.journal.emit(
        "effect.substituted",
        {"tool": spec.name, "substitute": result.substitute, "by": result.tool, "told": told},
        round=int(key.partition("/")[0]),
        key=f"{key}/substituted",
    )
    return result.model_copy(update={"told": told})


async def _earlier(deps: Deps, action: Action, spec: ToolSpec) -> ToolResult | None:
    if not spec.cacheable or spec.is_experiment:
        return None
    found = await deps.journal.earlier(action, version=spec.version)
    if found is None:
        return None
    told = f"this is its result of {found.at[:16].replace('T', ' ')} UTC for the same arguments"
    return found.result.model_copy(
        update={"substitute": "cached", "cached": True, "told": told, "duration_s": 0.0, "cost": 0.0}
    )


async def _fallback(deps: Deps, action: Action, spec: ToolSpec, *, key: str) -> ToolResult | None:
    other = fallback_of(spec, deps.toolbox.specs())
    if other is None:
        return None
    try:
        checked = deps.toolbox.check(action.model_copy(update={"tool": other.name})).action
    except BadInput:
        return None
    key = f"{key.rpartition('/')[0]}/{other.name}"

    async def call() -> dict[str, Any]:
        same = f"{deps.journal.run_id}:{key}:1"
        result = await deps.toolbox.call(checked, idempotency_key=same)
        return result.model_dump(mode="json")

    given = await deps.journal.once(
        key, call, effect=EffectClass.LOCAL, request=checked.model_dump(mode="json")
    )
    result = ToolResult.model_validate(given)
    if not result.success:
        return None
    return result.model_copy(
        update={"substitute": "fallback", "told": f"{other.title or other.name} answered instead"}
    )
