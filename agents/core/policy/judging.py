"""From a table and facts to what happens: pure, and closed where anything is in doubt."""

import math
from typing import Literal

from agents.core.gates import Answer, GateKind, GateRequest, Verdict
from agents.core.policy.clauses import all_hold
from agents.core.policy.facts import Facts
from agents.core.policy.table import OnDeadline, PolicyTable, Rule, Then
from agents.core.science import Value
from agents.core.tools import Action
from agents.core.workflow import is_workflow, item_decisions

_CLOSE = 1e-9
"""Shares are sums of counted numbers: 0.25 must be reached in spite of rounding."""


class Judgement(Value):
    """What a policy makes of a gate, and why."""

    then: Then
    why: Literal["rule", "no_rule", "forced", "kind", "unknown_tool", "unreadable"] = "rule"
    """``forced``: a warning only people can judge. ``kind``: only a person can know this.
    ``unreadable``: the rule asks for what cannot be told of this action."""
    rule: int | None = None
    """The row that decided, from 1."""
    role: Literal["reviewer", "owner"] = "reviewer"
    note: str = ""
    policy: str = ""
    deadline_hours: float | None = None
    on_deadline: OnDeadline = "escalate"
    budget_share: float | None = None
    first_reader: bool = False

    @property
    def asks(self) -> bool:
        """True when people are asked."""
        return self.then not in ("allow", "refuse")

    @property
    def source(self) -> str:
        """How a decision names it."""
        return f"policy: {self.policy}" + (f", rule {self.rule}" if self.rule else "")


def judge(table: PolicyTable, facts: Facts) -> Judgement:
    """Return what ``table`` says of ``facts``. Only a rule that surely holds lets anything through."""
    found = _strictest(table, facts)
    is_read = (
        facts.gate is GateKind.PROPOSAL and found.asks and (table.first_reader or found.then == "reader")
    )
    update: dict[str, object] = {
        "policy": table.label,
        "budget_share": facts.budget_share,
        "first_reader": is_read,
    }
    if found.deadline_hours is None:
        update |= {"deadline_hours": table.deadline_hours, "on_deadline": table.on_deadline}
    return found.model_copy(update=update)


def _strictest(table: PolicyTable, facts: Facts) -> Judgement:
    """Return the judgement of an action; of a list, that of the action for which most is asked."""
    if not facts.items:
        return _first(table, facts)
    each = [
        facts.model_copy(update={"items": [], "tool": item.tool, "arguments": item.arguments})
        for item in facts.items
    ]
    return min((_first(table, one) for one in each), key=_laxness)


_STRICT: tuple[Then, ...] = ("refuse", "second", "four_eyes", "review", "reader", "allow")


def _laxness(judgement: Judgement) -> tuple[int, bool]:
    return _STRICT.index(judgement.then), judgement.role != "owner"


def _first(table: PolicyTable, facts: Facts) -> Judgement:
    if facts.gate not in (GateKind.PROPOSAL, GateKind.FINISH):
        return Judgement(then="review", why="kind")
    is_proposal = facts.gate is GateKind.PROPOSAL
    if is_proposal and not (facts.tool and facts.is_known):
        return Judgement(then="review", why="unknown_tool")
    if is_proposal and facts.arguments is None:
        return Judgement(then="review", why="unreadable")
    for number, rule in enumerate(table.rules, start=1):
        try:
            holds = applies(rule, facts)
        except Exception:  # whatever a rule trips over, people decide
            holds = None
        if holds is None:
            return Judgement(then="review", why="unreadable", rule=number, note=rule.note)
        if holds:
            return _by_rule(rule, number, facts)
    return Judgement(then="review", why="no_rule")


def _by_rule(rule: Rule, number: int, facts: Facts) -> Judgement:
    # A model may be talked round by the very text that it reads: with a warning, people decide.
    is_warned = rule.then == "reader" and facts.has_warnings
    if is_warned or (rule.then in ("allow", "reader") and facts.is_forced):
        return Judgement(then="review", why="forced", rule=number, note=rule.note)
    return Judgement(
        then=rule.then,
        rule=number,
        role=rule.role,
        note=rule.note,
        deadline_hours=rule.deadline_hours,
        on_deadline=rule.on_deadline,
    )


def applies(rule: Rule, facts: Facts) -> bool | None:
    """Return whether every condition of ``rule`` holds: False when one does not, else None when one is unknown."""
    if rule.gate != facts.gate:
        return False
    if rule.tool and rule.tool != facts.tool:
        return False
    found = [
        _is(facts.effect, rule.effect or None),
        _is(facts.executor, rule.executor or None),
        _is(facts.is_reversible, rule.is_reversible),
        _in(facts.risk, list(rule.risk)),
        _at_least(facts.cost, rule.cost_from),
        None if rule.every is None else facts.round % rule.every == 0,
        None if rule.round_to is None else facts.round <= rule.round_to,
        _novel(facts, rule.novelty_from),
        _is(facts.is_new_hypothesis, rule.is_new_hypothesis),
        _below(facts.confidence, rule.confidence_below),
        _at_least(facts.budget_share, rule.share_from),
        _stepped(facts, rule.share_step),
        _is(facts.is_first_use, rule.is_first_use),
    ]
    # An unset condition is None, one that cannot be told is `_UNKNOWN`.
    said = [one for one in found if one is not None]
    if rule.arguments:
        holds = all_hold(rule.arguments, facts.arguments or {})
        said.append(_UNKNOWN if holds is None else holds)
    if False in said:
        return False
    return None if _UNKNOWN in said else True


_UNKNOWN: Literal["unknown"] = "unknown"
_Said = bool | Literal["unknown"] | None


def _is(known: object, wanted: object) -> _Said:
    if wanted is None:
        return None
    return _UNKNOWN if known is None else known == wanted


def _in(known: str | None, wanted: list[str]) -> _Said:
    if not wanted:
        return None
    return _UNKNOWN if known is None else known in wanted


def _at_least(known: float | None, least: float | None) -> _Said:
    if least is None:
        return None
    return _UNKNOWN if known is None or math.isnan(known) else known >= least - _CLOSE


def _below(known: float | None, most: float | None) -> _Said:
    if most is None:
        return None
    return _UNKNOWN if known is None or math.isnan(known) else known < most


def _novel(facts: Facts, least: float | None) -> _Said:
    """An action that is no experiment has no place in the space, so it is not new there."""
    if least is not None and facts.is_experiment is False:
        return False
    return _at_least(facts.novelty, least)


def _stepped(facts: Facts, step: float | None) -> _Said:
    if step is None:
        return None
    if facts.budget_share is None:
        return _UNKNOWN
    return _steps(facts.budget_share, step) > _steps(facts.asked_share, step)


def _steps(share: float, step: float) -> int:
    return math.floor(share / step + _CLOSE)


def answer_by_policy(judgement: Judgement, request: GateRequest, *, at: str) -> Answer | None:
    """Return the answer that a judgement gives to ``request`` by itself, or None when people are asked."""
    if judgement.asks:
        return None
    is_refused = judgement.then == "refuse"
    action = None
    if request.kind is GateKind.PROPOSAL:
        action = Action.model_validate(request.content["proposal"]["action"])
    return Answer(
        items=item_decisions(action, action) if action and is_workflow(action) and not is_refused else [],
        verdict=Verdict.VETO if is_refused else Verdict.APPROVE,
        by="policy",
        source=judgement.source,
        at=at,
        note=(judgement.note or "The policy of this run refuses it.") if is_refused else "",
        action=action,
        action_digest=request.digest if action else "",
    )
