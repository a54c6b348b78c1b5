"""The table itself: rules in order, and what happens to a review that nobody answers."""

from typing import Literal

from pydantic import Field

from agents.core.policy.clauses import MOST_CLAUSES, Clause
from agents.core.science import Value

MOST_RULES = 60
LONGEST_HOURS = 24 * 90.0
SHORTEST_MINUTES = 5
"""A deadline that nobody can meet answers in people's place. Tables stored before this limit are still read."""


def is_too_short(hours: float | None) -> bool:
    """Return True for a deadline of fewer than ``SHORTEST_MINUTES``; None is no deadline."""
    return hours is not None and hours * 60 < SHORTEST_MINUTES - 1e-6


Then = Literal["review", "second", "four_eyes", "reader", "allow", "refuse"]
"""``review``: one person of the rule's role. ``second``: two people, the second without seeing the first's answer.
``four_eyes``: whoever started the run or edited the proposal is not its only approver. ``reader``: goes through when
the reviewing model leans to approve; else, and until then, one person."""

OnDeadline = Literal["escalate", "veto", "pause"]
"""What happens to a review whose deadline has passed. None of them approves."""


class Rule(Value):
    """One row: every condition that is set must hold. What cannot be told goes to a person."""

    gate: Literal["proposal", "finish"] = "proposal"
    """``finish``: the proposal to end the run; only ``every`` and the budget's conditions apply to it."""
    tool: str = Field(default="", max_length=80)
    arguments: list[Clause] = Field(default_factory=list, max_length=MOST_CLAUSES)
    effect: Literal["", "local", "keyed", "blind"] = ""
    executor: Literal["", "machine", "person", "instrument"] = ""
    is_reversible: bool | None = None
    risk: list[Literal["low", "medium", "high"]] = Field(default_factory=list, max_length=3)
    """Any of these; empty for any risk."""
    cost_from: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    every: int | None = Field(default=None, ge=1, le=100_000)
    """Every Nth round."""
    round_to: int | None = Field(default=None, ge=1, le=100_000)
    """The first N rounds."""
    novelty_from: float | None = Field(default=None, ge=0, le=1)
    """How far an experiment is from every measured one, from 0 (the same) to 1."""
    is_new_hypothesis: bool | None = None
    confidence_below: float | None = Field(default=None, ge=0, le=1)
    """The reasoner's confidence in its hypothesis; one that it did not state cannot be told."""
    share_from: float | None = Field(default=None, ge=0, le=1)
    """The share of the budget that is used: the largest of its limits."""
    share_step: float | None = Field(default=None, gt=0, le=1)
    """Each time that another such share was used since people were asked last."""
    is_first_use: bool | None = None
    """The tool has not been let through in this run before."""
    then: Then = "review"
    role: Literal["reviewer", "owner"] = "reviewer"
    deadline_hours: float | None = Field(default=None, gt=0, le=LONGEST_HOURS)
    on_deadline: OnDeadline = "escalate"
    note: str = Field(default="", max_length=500)
    """Why the rule is there: shown on the card; for ``refuse`` the reasoner reads it."""


class PolicyTable(Value):
    """Ordered rules; the first that holds decides. No rule, or one that cannot be judged, means review."""

    name: str = "custom"
    version: int = Field(default=0, ge=0)
    """Counts from 1 within a study; 0 for a preset that no study has stored."""
    rules: list[Rule] = Field(default_factory=list, max_length=MOST_RULES)
    deadline_hours: float | None = Field(default=None, gt=0, le=LONGEST_HOURS)
    """For every review whose rule sets none."""
    on_deadline: OnDeadline = "escalate"
    second_for_findings: bool = False
    """What a person changes in the findings library holds only when a second person has approved it. Withdrawing
    takes away and adds nothing: it holds at once."""
    first_reader: bool = False
    """A reviewing model reads every proposal that people are asked about, and says what it thinks."""

    is_signed: bool = False
    """Whoever decides gives their password once more, and says what their signature means."""

    def needs(self, condition: str) -> bool:
        """Return True when a rule asks for ``condition``: what costs a query is read only then."""
        return any(getattr(rule, condition) is not None for rule in self.rules)

    @property
    def label(self) -> str:
        """How records name it: ``risky_only``, ``custom v3``."""
        return f"{self.name} v{self.version}" if self.version else self.name
