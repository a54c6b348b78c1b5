"""What a reasoner puts on the table, and what people answer."""

from typing import Any, Literal

from pydantic import Field

from agents.core.canonical import digest_of
from agents.core.science import Value
from agents.core.tools import Action


class Hypothesis(Value):
    """A falsifiable claim with what would refute it."""

    text: str = Field(min_length=1, max_length=2000)
    refuted_by: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1)
    by: str = Field(default="", exclude_if=lambda by: not by)
    """The person who wrote it, empty for a reasoner's own."""
    since: int = Field(default=0, exclude_if=lambda since: not since)
    """The round in which that person wrote it."""


class Prediction(Value):
    """The expected outcome, stated before the action. ``low``..``high`` covers ``level`` of the belief."""

    objective: str
    mean: float = Field(allow_inf_nan=False)
    low: float = Field(allow_inf_nan=False)
    high: float = Field(allow_inf_nan=False)
    level: float = 0.9
    unit: str = ""
    tests_hypothesis: bool = True
    """False for a guess that does not follow from the hypothesis, such as the middle of the response's range:
    it is scored, and says nothing for or against."""


class Neighbour(Value):
    """A measured experiment near the proposed one: its conditions, value and what differs."""

    experiment_id: str
    value: float | None = None
    unit: str = ""
    round: int | None = None
    run: int | None = Field(default=None, exclude_if=lambda run: run is None)
    """The number of another run that measured it."""
    differs: dict[str, list[Any]] = Field(default_factory=dict)
    """parameter → [measured there, proposed here]"""


class RunEvidence(Value):
    """What the experiments of one run say of a rule."""

    run: int = Field(
        default=0, ge=0, description="The run's number; 0: experiments that came with the study."
    )
    stance: Literal["for", "against"] = "for"
    text: str = Field(default="", max_length=300)


class MemoryOperation(Value):
    """A change to the findings that a reasoner asks for; code applies it.

    ``add`` needs text; ``support``, ``contradict``, ``retire`` and ``revise`` need ``finding`` (an id shown
    in the brief). ``evidence`` are round numbers. ``confidence`` is only a proposal.

    At a milestone review also ``merge`` (``other`` is replaced by ``finding``, which takes its evidence) and
    ``distil`` (``text`` is a rule over the ``sources``, findings by name as ``F3`` or ``2/F3`` of run 2, and over
    the experiments of ``runs``).
    """

    op: Literal["add", "support", "revise", "contradict", "retire", "merge", "distil"]
    finding: str = ""
    other: str = ""
    sources: list[str] = Field(default_factory=list)
    runs: list[RunEvidence] = Field(default_factory=list)
    scope: str = ""
    is_reviewed: bool = False
    """A person, and no rule of a policy, has let it through."""
    text: str = ""
    reason: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1)
    evidence: list[int] = Field(default_factory=list)


class Proposal(Value):
    """Hypothesis, one next action, prediction and reason, before review."""

    hypothesis: Hypothesis
    action: Action
    prediction: Prediction | None = None
    predictions: dict[str, Prediction] = Field(default_factory=dict)
    """For a workflow: what is expected of each experiment in it, by the number of its step."""
    reason: str = ""
    is_replicate: bool = False
    details: dict[str, Any] = Field(default_factory=dict)
    """Reasoner's own figures for the card, e.g. {"acquisition": 0.31, "mean": 88.0, "sd": 4.2}."""


class Finish(Value):
    """The reasoner's proposal to end: an answer to the goal, citing findings by id."""

    answer: str
    findings: list[str] = Field(default_factory=list)


class Turn(Value):
    """One reply of a reasoner: memory operations, and a proposal or a proposal to finish."""

    memory: list[MemoryOperation] = Field(default_factory=list)
    proposal: Proposal | None = None
    finish: Finish | None = None


def proposal_key(proposal: dict[str, Any], *, round: int) -> str:
    """Return the key of the event that files ``proposal``, a ``Proposal`` as JSON, in ``round``."""
    return f"{round}/proposal/{digest_of(proposal)[:12]}"
