"""Where the graph goes next, as a table."""

import pytest

from agents.core.gates import VERDICTS, GateKind, Verdict
from agents.engine import routing
from agents.engine.state import first_state

NEXT = {
    (GateKind.PROPOSAL, Verdict.APPROVE): "act",
    (GateKind.PROPOSAL, Verdict.EDIT): "act",
    (GateKind.PROPOSAL, Verdict.ANSWER): "act",
    (GateKind.PROPOSAL, Verdict.VETO): "reason",
    (GateKind.PROPOSAL, Verdict.STOP): "summarize",
    (GateKind.RESULT, Verdict.ANSWER): "act",
    (GateKind.RESULT, Verdict.VETO): "reason",
    (GateKind.RESULT, Verdict.STOP): "summarize",
    (GateKind.OUTCOME, Verdict.ANSWER): "act",
    (GateKind.OUTCOME, Verdict.NOT_HAPPENED): "act",
    (GateKind.OUTCOME, Verdict.RETRY): "act",
    (GateKind.OUTCOME, Verdict.STOP): "summarize",
    (GateKind.ATTENTION, Verdict.RETRY): "reason",
    (GateKind.ATTENTION, Verdict.STOP): "summarize",
    (GateKind.FINISH, Verdict.APPROVE): "summarize",
    (GateKind.FINISH, Verdict.VETO): "reason",
    (GateKind.FINISH, Verdict.STOP): "summarize",
}


def state(**changes):
    return {**first_state(), **changes}


@pytest.mark.parametrize(("kind", "verdict"), list(NEXT))
def test_after_an_answer(kind, verdict):
    answered = state(gate={"kind": str(kind)}, answer={"verdict": str(verdict)})
    assert routing.after_review(answered) == NEXT[kind, verdict]


def test_the_table_has_every_answer_that_a_gate_takes():
    assert set(NEXT) == {(kind, verdict) for kind, verdicts in VERDICTS.items() for verdict in verdicts}


def test_a_used_up_budget_skips_the_gate():
    assert routing.after_reason(state(is_finished=True)) == "summarize"
    assert routing.after_reason(state()) == "review"


def test_a_question_that_came_up_while_acting_goes_to_people():
    assert routing.after_act(state(answer=None)) == "review"
    assert routing.after_act(state(answer={"verdict": "approve"})) == "update"


def test_after_filing_the_run_goes_on_or_ends():
    assert routing.after_update(state(is_finished=True)) == "summarize"
    assert routing.after_update(state()) == "reason"


def test_a_fork_begins_at_its_gate():
    assert routing.at_start(state()) == "digest"
    assert routing.at_start(state(gate={"kind": "proposal"})) == "review"
