"""Gates: where a run asks people, and what they may answer."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from agents.core.proposal import Hypothesis, Prediction
from agents.core.science import Value
from agents.core.tools import Action
from agents.core.workflow import ItemDecision, is_workflow, item_decisions


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
    """``person``, or ``policy: <preset>`` when a stated rule let it through."""
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


class Guidance(Value):
    """A sentence from a person for the next reasoning step."""

    seq: int
    text: str
    by: str = ""


POLICIES: tuple[str, ...] = ("every_step", "risky_only", "milestones_5", "milestones_10", "auto")
"""Policy presets. ``every_step``: a person answers every gate. ``risky_only``: low-risk, reversible,
machine-run actions pass. ``milestones_N``: a person answers every Nth round. ``auto``: proposals pass
unattended. Gates other than proposals always go to a person, except ``finish`` under ``auto``. What carries
``force_review`` goes to a person whatever the policy says."""


def passes(policy: str, request: GateRequest, *, is_reversible: bool, executor: str) -> bool:
    """Return True when ``policy`` lets ``request`` through without a person. Unknown policies do not."""
    if request.content.get("force_review"):
        return False
    if request.kind is GateKind.FINISH:
        return policy == "auto"
    if request.kind is not GateKind.PROPOSAL:
        return False
    if policy == "auto":
        return True
    if policy == "risky_only":
        return request.risk == "low" and is_reversible and executor == "machine"
    if policy.startswith("milestones_"):
        step = policy.removeprefix("milestones_")
        return step.isdigit() and int(step) > 0 and request.round % int(step) != 0
    return False


def answer_by_policy(policy: str, request: GateRequest, *, at: str) -> Answer | None:
    """Return the answer that ``policy`` gives to ``request`` by itself, or None when a person must."""
    is_reversible = bool(request.content.get("is_reversible", False))
    executor = str(request.content.get("executor", "machine"))
    if not passes(policy, request, is_reversible=is_reversible, executor=executor):
        return None
    action = None
    if request.kind is GateKind.PROPOSAL:
        action = Action.model_validate(request.content["proposal"]["action"])
    return Answer(
        items=item_decisions(action, action) if action and is_workflow(action) else [],
        verdict=Verdict.APPROVE,
        by="policy",
        source=f"policy: {policy}",
        at=at,
        action=action,
        action_digest=request.digest if action else "",
    )
