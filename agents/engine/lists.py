"""Performs a workflow that was let through: each item once, under a key of its own, side by side where declared.

A node that runs again finds finished items in the journal, so only what is missing is done. An item whose outcome
nobody knows stops the list until a person has said what happened.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from agents.core.errors import BadInput
from agents.core.gates import GateRequest
from agents.core.text import shorten
from agents.core.tools import Action, ToolResult, ToolSpec
from agents.core.workflow import Item, items_of, ready, used_by
from agents.engine.deps import Deps
from agents.engine.performing import Performed, perform

SIDE_BY_SIDE = 8
"""The most calls of one list that run at the same time."""


@dataclass
class Progress:
    """What is known of a list under way, as the state keeps it between two drives.

    ``attempts`` is the attempt that an item is at when it is not the first; ``given`` holds results that a
    person stated.
    """

    action: Action
    attempts: dict[int, int] = field(default_factory=dict)
    given: dict[int, ToolResult] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "Progress":
        """Return the progress that ``as_json`` made."""
        return cls(
            action=Action.model_validate(stored["action"]),
            attempts={int(step): attempt for step, attempt in stored["attempts"].items()},
            given={int(step): ToolResult.model_validate(result) for step, result in stored["given"].items()},
        )

    def as_json(self) -> dict[str, Any]:
        """Return the progress as plain JSON."""
        return {
            "action": self.action.model_dump(mode="json"),
            "attempts": {str(step): attempt for step, attempt in self.attempts.items()},
            "given": {str(step): result.model_dump(mode="json") for step, result in self.given.items()},
        }


@dataclass(frozen=True)
class Unknown:
    """An item that started and was never seen to finish: the action as it was sent, its key and its attempt."""

    step: int
    action: Action
    spec: ToolSpec
    key: str
    attempt: int


async def perform_list(
    deps: Deps, gate: GateRequest, progress: Progress, specs: dict[str, ToolSpec]
) -> ToolResult | Unknown:
    """Return the result of the whole list, or the first item of unknown outcome."""
    items = items_of(progress.action)
    results: dict[int, ToolResult] = dict(progress.given)
    while waiting := [item for item in items if item.step not in results]:
        unusable = [item for item in waiting if any(_failed(results, step) for step in used_by(item))]
        if unusable:
            results |= {item.step: _skipped(item, results) for item in unusable}
            continue
        wave = _next_wave(ready(items, results), specs)
        tasks = [_one(deps, gate, item, results, specs, progress.attempts.get(item.step, 1)) for item in wave]
        for item, done in zip(wave, await _all(tasks), strict=True):
            if isinstance(done, Unknown):
                progress.attempts[item.step] = done.attempt
                return done
            results[item.step] = done
    return whole_result(items, results)


def _next_wave(open_items: list[Item], specs: dict[str, ToolSpec]) -> list[Item]:
    """Return what runs next: all that may run side by side, else one alone, in order."""
    beside = [item for item in open_items if specs[item.tool].parallel_safe]
    return beside[:SIDE_BY_SIDE] if beside else open_items[:1]


async def _all(tasks: list[Coroutine[Any, Any, ToolResult | Unknown]]) -> list[ToolResult | Unknown]:
    """Return what every task gave, or raise the first fault once all have ended: what runs is filed first."""
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    results: list[ToolResult | Unknown] = []
    for each in ended:
        if isinstance(each, BaseException):
            raise each
        results.append(each)
    return results


async def _one(
    deps: Deps,
    gate: GateRequest,
    item: Item,
    results: dict[int, ToolResult],
    specs: dict[str, ToolSpec],
    attempt: int,
) -> ToolResult | Unknown:
    spec = specs[item.tool]
    known = {step: (result.tool, result.data) for step, result in results.items()}
    try:
        action = deps.toolbox.resolve(item, known).action
    except BadInput as fault:
        return ToolResult(success=False, fault="bad_input", error_message=str(fault), tool=item.tool)
    key = item_key(gate.round, item)
    done: Performed = await perform(deps, key, action, spec, attempt)
    if done.result is None:
        return Unknown(item.step, action, spec, key, done.attempt)
    return done.result


def item_key(round: int, item: Item) -> str:
    """Return the key of an item's effect, as in ``7/act/2/calculate_descriptors``."""
    return f"{round}/act/{item.step}/{item.tool}"


def _failed(results: dict[int, ToolResult], step: int) -> bool:
    return step in results and not results[step].success


def _skipped(item: Item, results: dict[int, ToolResult]) -> ToolResult:
    missing = ", ".join(f"step {step}" for step in sorted(used_by(item)) if _failed(results, step))
    message = f"not run: it uses {missing}, which gave nothing"
    return ToolResult(success=False, fault="bad_input", error_message=message, tool=item.tool)


def whole_result(items: list[Item], results: dict[int, ToolResult]) -> ToolResult:
    """Return one result for the list. It is a success when any item is; each says how it went."""
    ordered = [(item, results[item.step]) for item in items]
    failed = [(item, result) for item, result in ordered if not result.success]
    told = "; ".join(f"{item.step} {_in_words(result)}" for item, result in ordered)
    is_lost = len(failed) == len(items)
    return ToolResult(
        success=not is_lost,
        fault=failed[0][1].fault if is_lost else "",
        error_message="; ".join(f"step {item.step}: {result.error_message}" for item, result in failed),
        data={"steps": [_entry(item, result) for item, result in ordered]},
        summary=told,
        artifacts=[artifact for _, result in ordered for artifact in result.artifacts],
        tool="workflow",
        duration_s=sum(result.duration_s for _, result in ordered),
        cost=sum(result.cost for _, result in ordered),
        cached=all(result.cached for _, result in ordered),
    )


def _in_words(result: ToolResult) -> str:
    said = result.summary or shorten(str(result.data), 200)
    return said.rstrip(".") if result.success else f"failed: {result.error_message}"


def _entry(item: Item, result: ToolResult) -> dict[str, Any]:
    entry: dict[str, Any] = {"step": item.step, "tool": item.tool, "success": result.success}
    if result.success:
        marks = {"cached": True} if result.cached else {}
        told = {"tool": result.tool, "told": result.told} if result.substitute else {}
        return {**entry, "data": result.data, **marks, **told}
    return {**entry, "fault": result.fault, "error_message": result.error_message}
