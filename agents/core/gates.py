"""Gates: where a run asks people, and what they may answer."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from agents.core.proposal import Hypothesis, Prediction
from agents.core.science import Value
from agents.core.tools import Action
from agents.core.workflow import ItemDecision


class GateKind(StrEnum):
    """What is asked: may this run / what did you measure / did it happen / what now."""

    PROPOSAL = "proposal"
    RESULT = "result"
    OUTCOME = "outcome"
    ATTENTION = "attention"
    FINISH = "finish"


class Verdict(StrEnum):
    """An answer to a gate."""

    APPROVE = "approve"
    EDIT = "edit"
    ANSWER = "answer"
    VETO = "veto"
    STOP = "stop"
    RETRY = "retry"
    NOT_HAPPENED = "not_happened"


VERDICTS: dict[GateKind, tuple[Verdict, ...]] = {
    GateKind.PROPOSAL: (Verdict.APPROVE, Verdict.EDIT, Verdict.ANSWER, Verdict.VETO, Verdict.STOP),
    GateKind.RESULT: (Verdict.ANSWER, Verdict.VETO, Verdict.STOP),
    GateKind.OUTCOME: (Verdict.ANSWER, Verdict.NOT_HAPPENED, Verdict.RETRY, Verdict.STOP),
    GateKind.ATTENTION: (Verdict.RETRY, Verdict.STOP),
    GateKind.FINISH: (Verdict.APPROVE, Verdict.VETO, Verdict.STOP),
}
"""The verdicts that each kind of gate accepts."""

REASON_CODES: tuple[str, ...] = (
    "already_known",
    "confounded",
    "unsafe",
    "too_costly",
    "wrong_statistic",
    "off_topic",
    "other",
)


class GateRequest(Value):
    """What a run puts to people. ``key`` is unique in the run, e.g. ``7/review``.

    ``content`` is everything the card shows: for a proposal {"proposal", "neighbours", "warnings",
    "memory"}; for a result {"action", "instructions", "output_schema"}; for an outcome {"action", "key",
    "attempt"}; for attention {"problem", "tries"}; for finish {"answer", "findings"}.
    ``digest`` is the digest of the action (or of the content when there is no action): an answer must
    carry the same one, so that what is approved is what was shown.
    """

    key: str
    kind: GateKind
    round: int
    content: dict[str, Any] = Field(default_factory=dict)
    digest: str
    title: str = ""
    risk: str = "low"
    cost: float = 0.0


class Answer(Value):
    """The decision that a gate got. ``action`` is what may be executed, edited or not."""

    verdict: Verdict
    by: str = ""
    source: str = "person"
    """``person``; ``policy: <table>, rule <n>`` when a stated rule let it through or refused it;
    ``remembered: …`` when an earlier approval covers it; ``deadline: …`` when nobody answered in time."""
    at: str = ""
    reason_code: str = ""
    note: str = ""
    action: Action | None = None
    action_digest: str = ""
    hypothesis: Hypothesis | None = None
    prediction: Prediction | None = None
    result: dict[str, Any] = Field(default_factory=dict)
    items: list[ItemDecision] = Field(default_factory=list)
    """For a workflow: what was decided on each of its items."""
    review_id: str = ""
    opinions: list[dict[str, Any]] = Field(default_factory=list)
    """What each of several people said, when one did not decide alone: {"by", "verdict", "note", …}."""


class Guidance(Value):
    """A sentence from a person for the next reasoning step."""

    seq: int
    text: str
    by: str = ""
