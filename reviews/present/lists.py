"""Lists of actions as people see them: each item of a workflow with its values, and what an edit changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from agents.core.errors import BadInput
from agents.core.proposal import Proposal
from agents.core.tools import Action, ToolSpec
from agents.core.workflow import Item, is_workflow, items_of, used_by
from reviews.present.card import Argument, Nearest, arguments_of, hidden_characters, nearest_of


@dataclass(frozen=True)
class CardItem:
    """One item of a list on the card. ``uses`` are the steps whose results it takes."""

    step: int
    tool: str
    title: str
    arguments: list[Argument]
    uses: list[int]
    origin: str = ""
    """Where its tool comes from when it is not built in."""
    risk: str = ""
    cost: float = 0.0
    duration_s: float | None = None
    is_reversible: bool | None = None
    prediction: dict[str, Any] | None = None
    nearest: list[Nearest] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def card_items(
    action: Action | None, specs: Mapping[str, ToolSpec], content: dict[str, Any]
) -> list[CardItem]:
    """Return the items of a workflow for its card, or none for any other action."""
    proposal = Proposal.model_validate(content["proposal"]) if content.get("proposal") else None
    near = content.get("item_neighbours", {})
    return [
        _card_item(item, specs.get(item.tool), proposal, near.get(str(item.step), []))
        for item in items_or_none(action)
    ]


def items_or_none(action: Action | None) -> list[Item]:
    """Return the items of a workflow; none for another action and for a list that cannot be read."""
    if action is None or not is_workflow(action):
        return []
    try:
        return items_of(action)
    except BadInput:
        return []


def item_changes(old: Action, new: Action) -> list[tuple[str, Any, Any]]:
    """Return what an edit changed of a list: label, before, after; an item that was left out has no after."""
    kept = {item.step: item for item in items_or_none(new)}
    changes: list[tuple[str, Any, Any]] = []
    for item in items_or_none(old):
        after = kept.get(item.step)
        if after is None:
            changes.append((f"{item.step} {item.tool}", _("proposed"), _("left out")))
            continue
        names = [*item.arguments, *(name for name in after.arguments if name not in item.arguments)]
        changes += [
            (f"{item.step} {item.tool} · {name}", item.arguments.get(name), after.arguments.get(name))
            for name in names
            if item.arguments.get(name) != after.arguments.get(name)
        ]
    return changes


def argument_changes(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return what an edit changed of an action, given as JSON: label, before, after."""
    before, after = Action.model_validate(old or {"tool": ""}), Action.model_validate(new or {"tool": ""})
    if is_workflow(before):
        return item_changes(before, after)
    names = [*before.arguments, *(name for name in after.arguments if name not in before.arguments)]
    return [
        (name, before.arguments.get(name), after.arguments.get(name))
        for name in names
        if before.arguments.get(name) != after.arguments.get(name)
    ]


def _card_item(
    item: Item, spec: ToolSpec | None, proposal: Proposal | None, near: list[dict[str, Any]]
) -> CardItem:
    expected = proposal.predictions.get(str(item.step)) if proposal else None
    return CardItem(
        step=item.step,
        tool=item.tool,
        title=(spec.title or spec.name) if spec else item.tool,
        arguments=arguments_of(item.action, spec, {}),
        uses=sorted(used_by(item)),
        origin=spec.origin if spec else "",
        risk=spec.risk if spec else "",
        cost=spec.cost if spec else 0.0,
        duration_s=spec.duration_s if spec else None,
        is_reversible=spec.is_reversible if spec else None,
        prediction=expected.model_dump() if expected else None,
        nearest=[nearest_of(row) for row in near],
        warnings=hidden_characters(item.action),
    )
