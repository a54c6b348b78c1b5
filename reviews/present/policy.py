"""Rules and judgements in words."""

import difflib
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.utils.translation import ngettext as _n

from agents.core.policy import Judgement, PolicyTable, Rule, spell_clauses
from reviews.present.diffs import Piece
from reviews.present.words import DEADLINES, POLICIES, RISKS, Text, Word

THEN: dict[str, Word] = {
    "allow": Word(gettext_lazy("Goes through"), "done", "circle-check"),
    "review": Word(gettext_lazy("One person decides"), "needs", "hand"),
    "second": Word(gettext_lazy("Two people decide, blind"), "needs", "users"),
    "four_eyes": Word(gettext_lazy("Four eyes"), "needs", "users"),
    "reader": Word(gettext_lazy("A model may let it through"), "needs", "brain"),
    "refuse": Word(gettext_lazy("Is refused"), "vetoed", "ban"),
}

EFFECTS: dict[str, Text] = {
    "local": gettext_lazy("changes nothing outside"),
    "keyed": gettext_lazy("changes something outside, and can be repeated safely"),
    "blind": gettext_lazy("changes something outside, and must not be repeated"),
}


@dataclass(frozen=True)
class RuleRow:
    """A row of the table as pages show it."""

    number: int
    rule: Rule
    when: list[str]
    then: Word
    more: list[str]


def rule_rows(table: PolicyTable) -> list[RuleRow]:
    """Return the rules in words, in order."""
    return [
        RuleRow(number, rule, when(rule), THEN[rule.then], more(rule))
        for number, rule in enumerate(table.rules, start=1)
    ]


def sentences(table: PolicyTable) -> list[str]:
    """Return the table one sentence a rule, in order, its deadline last."""
    found = []
    for row in rule_rows(table):
        more = f" ({'; '.join(row.more)})" if row.more else ""
        when = _(" and ").join(row.when)
        found.append(f"{when}: {row.then.label}{more}")
    if table.deadline_hours:
        found.append(deadline(table.deadline_hours, table.on_deadline))
    return found


def changes_between(old: PolicyTable, new: PolicyTable) -> list[Piece]:
    """Return the sentences of both tables as what stayed, went and came, in order."""
    before, after = sentences(old), sentences(new)
    pieces: list[Piece] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces += [Piece("same", text) for text in after[c:d]]
        else:
            pieces += [Piece("removed", text) for text in before[a:b]]
            pieces += [Piece("added", text) for text in after[c:d]]
    return pieces


def when(rule: Rule) -> list[str]:
    """Return the conditions of a rule as phrases; one that says "always" when there is none."""
    found = [
        _("the run proposes to finish") if rule.gate == "finish" else "",
        _("the tool is %(name)s") % {"name": rule.tool} if rule.tool else "",
        spell_clauses(rule.arguments),
        str(EFFECTS[rule.effect]) if rule.effect else "",
        _executor(rule.executor),
        _yes_no(rule.is_reversible, _("it can be undone"), _("it cannot be undone")),
        _(" or ").join(str(RISKS[risk].label) for risk in rule.risk),
        _("it costs %(n)s or more") % {"n": f"{rule.cost_from:g}"} if rule.cost_from is not None else "",
        _n("every round", "every %(n)s rounds", rule.every) % {"n": rule.every} if rule.every else "",
        _n("the first round", "the first %(n)s rounds", rule.round_to) % {"n": rule.round_to}
        if rule.round_to
        else "",
        _("its conditions are %(n)s away from any measured, or more") % {"n": _percent(rule.novelty_from)}
        if rule.novelty_from is not None
        else "",
        _yes_no(
            rule.is_new_hypothesis, _("the hypothesis has changed"), _("the hypothesis is the same as before")
        ),
        _("the reasoner is less than %(n)s sure") % {"n": _percent(rule.confidence_below)}
        if rule.confidence_below is not None
        else "",
        _("%(n)s of the budget is used, or more") % {"n": _percent(rule.share_from)}
        if rule.share_from is not None
        else "",
        _("another %(n)s of the budget is used since people were asked") % {"n": _percent(rule.share_step)}
        if rule.share_step is not None
        else "",
        _yes_no(
            rule.is_first_use,
            _("the tool is used for the first time in the run"),
            _("the tool was used before"),
        ),
    ]
    return [phrase for phrase in found if phrase] or [_("always")]


def more(rule: Rule) -> list[str]:
    """Return who decides and what happens when nobody does."""
    found = []
    if rule.then not in ("allow", "refuse"):
        if rule.role == "owner":
            found.append(_("by an owner"))
        if rule.deadline_hours is not None:
            found.append(deadline(rule.deadline_hours, rule.on_deadline))
    return found


def deadline(hours: float, outcome: str) -> str:
    """Return a deadline as a phrase."""
    return _("after %(n)s h without an answer %(outcome)s") % {
        "n": f"{hours:g}",
        "outcome": DEADLINES[outcome],
    }


def why(judgement: dict[str, Any] | Judgement) -> str:
    """Return why people are asked (or not), as a sentence; empty for what release 0.1 stored."""
    if isinstance(judgement, dict):
        if not judgement:
            return ""
        judgement = Judgement.model_validate(judgement)
    named = {"n": judgement.rule, "policy": policy_name(judgement.policy)}
    sentences = {
        "no_rule": _("No rule of the policy %(policy)s lets it through."),
        "forced": _("Rule %(n)s would let it through, but it carries a warning that only people can judge."),
        "kind": _("Only a person can know this."),
        "unknown_tool": _("The policy does not know this tool."),
        "unreadable": _("Rule %(n)s of the policy %(policy)s asks for what cannot be told here.")
        if judgement.rule
        else _("The policy cannot read its arguments."),
        "rule": _("Rule %(n)s of the policy %(policy)s."),
    }
    said = sentences[judgement.why] % named
    return f"{said} {judgement.note}".strip()


def policy_name(label: str) -> str:
    """Return the name of a table as records keep it (``risky_only``, ``custom v3``) in words."""
    name, _space, version = label.partition(" v")
    shown = f"“{POLICIES.get(name, (name, ''))[0]}”"
    return f"{shown} v{version}" if version else shown


def _percent(share: float | None) -> str:
    return f"{(share or 0) * 100:g} %"


def _executor(code: str) -> str:
    words = {
        "machine": _("a machine does it"),
        "person": _("a person does it"),
        "instrument": _("an instrument does it and reports later"),
    }
    return words.get(code, "")


def _yes_no(value: bool | None, yes: str, no: str) -> str:
    return "" if value is None else (yes if value else no)
