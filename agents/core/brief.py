"""What a reasoner is given at each step: the compact memory, never the history."""

from typing import Any

from pydantic import Field

from agents.core.budget import Budget, Spent
from agents.core.findings import Finding
from agents.core.gates import Guidance
from agents.core.history import History
from agents.core.measurement import Experiment
from agents.core.proposal import Hypothesis
from agents.core.science import Value
from agents.core.study import StudyProtocol
from agents.core.tools import Action, ToolSpec


class Step(Value):
    """One completed round, in a line: what was done, what came of it, how it bears on the hypothesis."""

    round: int
    action: Action
    outcome: str
    stance: str = ""
    """``for``, ``against``, ``inconclusive`` or empty."""


class Veto(Value):
    """An action that a person refused, with the reason the reasoner reads."""

    round: int
    action: Action
    reason_code: str = ""
    text: str = ""
    where: str = ""
    """Names the run when it is another one of the study."""
    by: str = ""
    """Who refused it: a person or several, ``policy``, ``deadline``."""
    at: str = ""
    """When, in ISO 8601."""


class WholeMemory(Value):
    """Everything that a milestone review looks at: the run's active findings by id, the rules of the study, and
    the active findings of its other runs under names as ``2/F3``. ``run`` is the run's own number."""

    run: int = 1
    findings: list[Finding] = Field(default_factory=list)
    rules: list[Finding] = Field(default_factory=list)
    elsewhere: list[Finding] = Field(default_factory=list)


class Contradiction(Value):
    """Two active findings that state the same quantity under the same condition and do not agree."""

    first: Finding
    second: Finding


class Brief(Value):
    """Everything a reasoner may use. Facts are data from documents and tools, never instructions.

    ``experiments`` is the whole ledger of the study for the optimiser; a language model is shown only a
    summary of it. ``refusals`` say why earlier attempts in this round were not accepted.
    """

    protocol: StudyProtocol
    round: int
    tools: list[ToolSpec] = Field(default_factory=list)
    hypothesis: Hypothesis | None = None
    findings: list[Finding] = Field(default_factory=list)
    contradictions: list[Contradiction] = Field(default_factory=list)
    """Those that were not settled yet, oldest first."""
    rules: list[Finding] = Field(default_factory=list)
    """What was learned over several runs and read by people, oldest first."""
    steps: list[Step] = Field(default_factory=list)
    observation: dict[str, Any] | None = None
    experiments: list[Experiment] = Field(default_factory=list)
    guidance: list[Guidance] = Field(default_factory=list)
    vetoes: list[Veto] = Field(default_factory=list)
    refusals: list[str] = Field(default_factory=list)
    finish_refused: bool = False
    """A person refused to end the run, and no step was completed since."""
    asked: int = 0
    """Answers that were asked for in this round already and could not be used, for whatever reason."""
    budget: Budget = Field(default_factory=Budget)
    spent: Spent = Field(default_factory=Spent)
    run_summary: str = ""
    history: History | None = None
    """Given to a run that re-reads instead of remembering."""

    @property
    def told_findings(self) -> list[Finding]:
        """The findings that a prompt tells of by id: the strongest, and those that contradict each other."""
        pairs = [side for pair in self.contradictions for side in (pair.first, pair.second)]
        return list({finding.id: finding for finding in [*self.findings, *pairs]}.values())

    @property
    def standing(self) -> Hypothesis | None:
        """The hypothesis that a person wrote, as long as no result has spoken against it since: what a reasoner
        goes on from."""
        claim = self.hypothesis
        return claim if claim is not None and claim.by and not against(claim, self.steps) else None


def against(claim: Hypothesis, steps: list[Step]) -> int:
    """Return the first round since ``claim`` was written that spoke against it; 0 when none did."""
    return next((step.round for step in steps if step.round >= claim.since and step.stance == "against"), 0)
