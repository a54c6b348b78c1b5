"""The people of crash runs: they approve, measure, and look at the instrument when asked what happened."""

from typing import Any

from django.contrib.auth import get_user_model

from agents.core.errors import Conflict
from agents.core.gates import GateKind
from agents.models import Gate
from reviews.services import decide
from tests.crash.instrument import uses

NAME = "ana"


def answer_open_gates(oracle: str) -> int:
    """Answer every open gate truthfully, as a signed-in person does; return how many were answered."""
    user = get_user_model().objects.get(username=NAME)
    answered = 0
    for gate in Gate.objects.filter(status=Gate.Status.OPEN).select_related("run__study"):
        try:
            decide(gate=gate, user=user, shown_digest=gate.digest, **_decision(gate, oracle))
        except Conflict:
            continue
        answered += 1
    return answered


def _decision(gate: Gate, oracle: str) -> dict[str, Any]:
    if gate.kind == GateKind.RESULT:
        dose = gate.request["content"]["action"]["arguments"]["dose"]
        return {"verdict": "answer", "result": {"measurements": {"mass": {"value": dose / 10}}}}
    assert gate.kind != GateKind.ATTENTION, gate.request["content"]
    if gate.kind != GateKind.OUTCOME:
        return {"verdict": "approve"}
    content = gate.request["content"]
    key = f"{gate.run_id}:{content['key']}:{content['attempt']}"
    happened = [use for use in uses(oracle) if use.key == key]
    if happened:
        return {"verdict": "answer", "result": {"result": happened[0].value * 10}}
    return {"verdict": "retry"}
