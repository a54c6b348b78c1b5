"""What a rule may know of a gate: from the request, and from the run as it stood then."""

from typing import Any

from agents.core.budget import Budget, Spent, shares
from agents.core.errors import BadInput
from agents.core.gates import GateKind, GateRequest
from agents.core.science import Value
from agents.core.tools import Action, EffectClass
from agents.core.workflow import WORKFLOW, items_of

RISKS = ("low", "medium", "high")


class Facts(Value):
    """None is "cannot be told": a rule that asks for it puts the gate before a person."""

    gate: GateKind
    round: int = 0
    is_forced: bool = False
    """What carries a warning that only people can judge is never let through by a rule."""
    has_warnings: bool = False
    tool: str = ""
    is_known: bool = True
    arguments: dict[str, Any] | None = None
    effect: str | None = None
    executor: str | None = None
    is_reversible: bool | None = None
    is_experiment: bool | None = None
    risk: str | None = None
    cost: float | None = None
    novelty: float | None = None
    is_new_hypothesis: bool | None = None
    confidence: float | None = None
    budget_share: float | None = None
    asked_share: float = 0.0
    """The share of the budget that was used when people were asked last."""
    is_first_use: bool | None = None
    items: list[Action] = []
    """The actions of a list: each is judged for itself, with what is known of the whole."""


def facts_of(
    request: GateRequest,
    *,
    hypothesis: dict[str, Any] | None = None,
    budget: Budget | None = None,
    spent: Spent | None = None,
    asked_share: float = 0.0,
    is_first_use: bool | None = None,
) -> Facts:
    """Return what rules may know of ``request``.

    ``hypothesis`` is the run's as its state shows it: {"text", "round"}, ``round`` where it was changed last.
    """
    content = request.content
    used = shares(budget, spent) if budget is not None and spent is not None else None
    known = Facts(
        gate=request.kind,
        round=request.round,
        is_forced=bool(content.get("force_review")),
        has_warnings=bool(content.get("warnings")),
        budget_share=max(used.values(), default=0.0) if used is not None else None,
        asked_share=asked_share,
    )
    if request.kind is not GateKind.PROPOSAL:
        return known
    proposal = _dict(content.get("proposal"))
    action, claim = _dict(proposal.get("action")), _dict(proposal.get("hypothesis"))
    items = _items(action)
    return known.model_copy(
        update={
            "items": items or [],
            "tool": "" if items is None else _text(action.get("tool")) or "",
            "is_known": bool(_text(content.get("executor"))),
            "arguments": action.get("arguments") if isinstance(action.get("arguments"), dict) else None,
            "effect": content["effect"] if content.get("effect") in list(EffectClass) else None,
            "executor": _text(content.get("executor")),
            "is_reversible": _bool(content.get("is_reversible")),
            "is_experiment": _bool(content.get("is_experiment")),
            "risk": request.risk if request.risk in RISKS else None,
            "cost": request.cost,
            "novelty": _number(content.get("novelty")),
            "is_new_hypothesis": _is_new(hypothesis, claim, request.round),
            "confidence": _number(claim.get("confidence")),
            "is_first_use": is_first_use,
        }
    )


def _items(action: dict[str, Any]) -> list[Action] | None:
    """Return the actions of a list, none for a single action; None for a list that cannot be read."""
    if action.get("tool") != WORKFLOW:
        return []
    try:
        return [item.action for item in items_of(Action.model_validate(action))]
    except (BadInput, ValueError):
        return None


def _is_new(current: dict[str, Any] | None, claim: dict[str, Any], round: int) -> bool | None:
    if not current or "round" not in current:
        return None
    return current.get("text") != claim.get("text") or current["round"] == round


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
