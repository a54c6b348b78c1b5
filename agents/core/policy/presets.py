"""The tables that most sites need, by name."""

from agents.core.policy.table import PolicyTable, Rule

CUSTOM = "custom"
"""The name of a table that people wrote themselves."""

_ALLOW = Rule(then="allow")
_RISKY = (
    Rule(risk=["medium", "high"]),
    Rule(is_reversible=False),
    Rule(executor="person"),
)

_RULES: dict[str, tuple[Rule, ...]] = {
    "every_step": (),
    "risky_only": (*_RISKY, _ALLOW),
    "milestones_5": (Rule(every=5), _ALLOW),
    "milestones_10": (Rule(every=10), _ALLOW),
    "budget_shares": (Rule(share_step=0.25), Rule(share_from=0.9), _ALLOW),
    "first_use": (Rule(is_first_use=True), Rule(risk=["high"]), _ALLOW),
    "low_confidence": (Rule(confidence_below=0.6), _ALLOW),
    "hypothesis_change": (Rule(is_new_hypothesis=True), _ALLOW),
    "auto": (_ALLOW, Rule(gate="finish", then="allow")),
}

POLICIES: tuple[str, ...] = tuple(_RULES)
"""``every_step``: a person answers every gate. ``risky_only``: low-risk, reversible, machine-run actions pass.
``milestones_N``: a person answers every Nth round. ``budget_shares``: at each quarter of the budget, and all of
the last tenth. ``first_use``: the first call of each tool, and high risk. ``low_confidence``: while the reasoner
is less than 60 % sure, or does not say. ``hypothesis_change``: when the hypothesis changes. ``auto``: proposals
pass unattended. What carries a warning that only people can judge goes to a person whatever the policy says."""


def preset(name: str) -> PolicyTable:
    """Return the table called ``name``; one without rules, which lets nothing through, for a name that is none."""
    return PolicyTable(name=name, rules=list(_RULES.get(name, ())))
