"""From a gate that people must answer to the review that they see: who is asked, and until when."""

from datetime import timedelta

from agents.core.gates import GateKind
from agents.core.policy import Judgement
from agents.core.workflow import is_workflow
from agents.models import Gate
from agents.services.gates import action_of
from agents.wiring import is_model_configured
from reviews.models import Review, Role

POLICY_LIMIT = 200


def new_review(gate: Gate) -> Review:
    """Return the review of an open ``gate``, not stored yet, as the gate's judgement wants it.

    The deadline counts from when the gate was opened: from then on the review is in every inbox.
    """
    request = gate.request
    review = Review(
        gate=gate,
        run_id=gate.run_id,
        study_id=gate.run.study_id,
        tool=_tool_of(gate),
        title=request["title"],
        risk=request["risk"],
        cost=request["cost"],
        opened_at=gate.opened_at,
        needs_role=Role.RESEARCHER if gate.kind == GateKind.RESULT else Role.REVIEWER,
    )
    if not gate.judgement:
        return review
    judgement = Judgement.model_validate(gate.judgement)
    review.policy = judgement.source.removeprefix("policy: ")[:POLICY_LIMIT]
    if judgement.asks and gate.kind != GateKind.RESULT:
        review.mode = "review" if judgement.then == "reader" else judgement.then
        review.needs_role = judgement.role
    if judgement.first_reader and is_model_configured():
        review.reader_at = gate.opened_at
    if judgement.deadline_hours is not None:
        review.due_at = gate.opened_at + timedelta(hours=judgement.deadline_hours)
        review.on_deadline = judgement.on_deadline
    return review


def _tool_of(gate: Gate) -> str:
    action = action_of(gate)
    return "" if action is None or is_workflow(action) else action.tool
