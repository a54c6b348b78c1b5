"""Workflows: several actions proposed, reviewed and approved as one list. Pure rules.

A workflow is itself an action, whose tool is called ``workflow``: what is shown, edited, approved and digested is
the whole list. A batch is a workflow whose steps use nothing of each other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from agents.core.canonical import digest_of
from agents.core.errors import BadInput
from agents.core.science import Value
from agents.core.tools import Action, EffectClass, ToolSpec

WORKFLOW = "workflow"
"""The name of the action; no tool may have it."""

MOST_STEPS = 24

_REFERENCE = re.compile(r"\$(\d{1,4})((?:\.[A-Za-z_]\w*|\[\d{1,6}\])*)")
_PART = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")
_RISKS: tuple[Literal["low", "medium", "high"], ...] = ("low", "medium", "high")

Path = tuple[str | int, ...]


class Item(Value):
    """One action of a workflow. ``step`` names it in references and keeps its number when others are left out."""

    step: int = Field(ge=1, le=9999)
    tool: str = Field(min_length=1)
    arguments: dict[str, Any] = Field(default_factory=dict)

    @property
    def action(self) -> Action:
        """The item as an action of its own."""
        return Action(tool=self.tool, arguments=self.arguments)


class Reference(Value):
    """``$1.smiles`` at ``place`` of an item's arguments: the value at ``path`` of what step 1 gives."""

    text: str
    step: int
    path: tuple[str | int, ...] = ()
    place: tuple[str | int, ...] = ()


class ItemDecision(Value):
    """What a person decided on one item: bound by digest to what was proposed and to what may run."""

    step: int
    tool: str
    verdict: Literal["approve", "edit", "leave_out"]
    proposed_digest: str
    digest: str = ""
    """Of the item as it may run; empty when it was left out."""


def workflow_of(items: Iterable[Item]) -> Action:
    """Return the action that performs ``items``."""
    return Action(tool=WORKFLOW, arguments={"items": [item.model_dump(mode="json") for item in items]})


def is_workflow(action: Action) -> bool:
    """Return True when ``action`` is a list of actions."""
    return action.tool == WORKFLOW


def items_of(action: Action) -> list[Item]:
    """Return the items of a workflow; an item without a number gets its place in the list.

    Raises ``BadInput`` saying what is wrong with the list.
    """
    given = action.arguments.get("items")
    if set(action.arguments) - {"items"} or not isinstance(given, list) or not given:
        raise _bad("items", f"a list of 1 to {MOST_STEPS} actions, each with tool and arguments", given)
    if len(given) > MOST_STEPS:
        raise _bad("items", f"at most {MOST_STEPS} actions in one list", f"{len(given)} actions")
    items = []
    for place, entry in enumerate(given, start=1):
        try:
            items.append(Item.model_validate({"step": place, **entry}))
        except (ValidationError, TypeError):
            raise _bad(f"items[{place - 1}]", "step, tool and arguments", entry) from None
    numbers = [item.step for item in items]
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise _bad("items", "a number of its own for each step", f"step {twice} twice")
    return items


def actions_of(action: Action) -> list[Action]:
    """Return the actions that ``action`` stands for: itself, or those of its list."""
    return [item.action for item in items_of(action)] if is_workflow(action) else [action]


def reference_of(value: Any) -> Reference | None:
    """Return the reference that ``value`` is, or None: a reference is a whole text such as ``$1.smiles``."""
    match = _REFERENCE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    path: Path = tuple(name or int(index) for name, index in _PART.findall(match[2]))
    return Reference(text=value.strip(), step=int(match[1]), path=path)


def references_in(value: Any, place: Path = ()) -> Iterator[Reference]:
    """Return every reference in ``value`` with its place."""
    found = reference_of(value)
    if found is not None:
        yield found.model_copy(update={"place": place})
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from references_in(inner, (*place, str(name)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from references_in(inner, (*place, index))


def used_by(item: Item) -> set[int]:
    """Return the steps whose results ``item`` uses."""
    return {reference.step for reference in references_in(item.arguments)}


def ready(items: Iterable[Item], done: Iterable[int]) -> list[Item]:
    """Return the items that are not done and use only what is, in order."""
    known = set(done)
    return [item for item in items if item.step not in known and used_by(item) <= known]


def value_at(data: Any, path: Path) -> Any:
    """Return the value at ``path``; raises ``LookupError`` when there is none."""
    for part in path:
        is_there = (
            part in data if isinstance(data, dict) else isinstance(data, list) and isinstance(part, int)
        )
        if not is_there:
            raise LookupError(part)
        data = data[part]
    return data


def put_at(arguments: Any, place: Path, value: Any) -> None:
    """Put ``value`` at ``place`` of ``arguments``, which is changed."""
    for part in place[:-1]:
        arguments = arguments[part]
    arguments[place[-1]] = value


def workflow_spec(items: list[Item], specs: Mapping[str, ToolSpec]) -> ToolSpec:
    """Return the specification of the whole list: costs add up, the riskiest item decides.

    ``duration_s`` is the longest chain where items may run beside each other.
    """
    own = [specs[item.tool] for item in items]
    return ToolSpec(
        name=WORKFLOW,
        title=f"List of {len(items)} actions" if len(items) > 1 else "List of 1 action",
        effect=EffectClass.LOCAL if all(s.effect is EffectClass.LOCAL for s in own) else EffectClass.BLIND,
        is_experiment=any(spec.is_experiment for spec in own),
        cost=sum(spec.cost for spec in own),
        duration_s=_longest_chain(items, specs),
        risk=max((spec.risk for spec in own), key=_RISKS.index),
        is_reversible=all(spec.is_reversible for spec in own),
        needs_review=any(spec.needs_review for spec in own),
        may_repeat=True,
    )


def item_decisions(proposed: Action, executed: Action) -> list[ItemDecision]:
    """Return what was decided on each item of a workflow, by comparing what was proposed with what may run."""
    kept = {item.step: item for item in items_of(executed)}
    return [_decision(item, kept.get(item.step)) for item in items_of(proposed)]


def _decision(item: Item, kept: Item | None) -> ItemDecision:
    before = digest_of(item.action.model_dump(mode="json"))
    after = digest_of(kept.action.model_dump(mode="json")) if kept else ""
    verdict: Literal["approve", "edit", "leave_out"] = "leave_out"
    if kept:
        verdict = "approve" if before == after else "edit"
    return ItemDecision(step=item.step, tool=item.tool, verdict=verdict, proposed_digest=before, digest=after)


def _longest_chain(items: list[Item], specs: Mapping[str, ToolSpec]) -> float:
    ends: dict[int, float] = {}
    alone = 0.0
    for item in items:
        spec = specs[item.tool]
        begins = max((ends.get(step, 0.0) for step in used_by(item)), default=0.0)
        if not spec.parallel_safe:
            begins = max(begins, alone)
        ends[item.step] = begins + spec.duration_s
        alone = alone if spec.parallel_safe else ends[item.step]
    return max(ends.values(), default=0.0)


def _bad(field: str, expected: str, received: Any) -> BadInput:
    shown = str(received)[:80] if received is not None else "nothing"
    message = f"workflow: field {field}: expected {expected}, received {shown}"
    return BadInput(message, [{"field": field, "expected": expected, "received": shown, "message": message}])
