"""Which actions need whom: an ordered table of rules, judged without a database. What it cannot judge, people do."""

from agents.core.policy.clauses import Clause, parse_clauses, spell_clauses
from agents.core.policy.facts import Facts, facts_of
from agents.core.policy.judging import Judgement, answer_by_policy, judge
from agents.core.policy.presets import CUSTOM, POLICIES, preset
from agents.core.policy.table import (
    MOST_RULES,
    SHORTEST_MINUTES,
    OnDeadline,
    PolicyTable,
    Rule,
    Then,
    is_too_short,
)

__all__ = [
    "CUSTOM",
    "MOST_RULES",
    "POLICIES",
    "SHORTEST_MINUTES",
    "Clause",
    "Facts",
    "Judgement",
    "OnDeadline",
    "PolicyTable",
    "Rule",
    "Then",
    "answer_by_policy",
    "facts_of",
    "is_too_short",
    "judge",
    "parse_clauses",
    "preset",
    "spell_clauses",
]
