"""Which gates a policy passes by itself."""

import pytest

from agents.core.budget import Budget, Spent
from agents.core.gates import GateKind, GateRequest
from agents.core.policy import POLICIES, answer_by_policy, facts_of, judge, preset

ACTION = {"tool": "weigh", "arguments": {"dose": 5}}


def request(kind=GateKind.PROPOSAL, *, round=1, risk="low", is_reversible=True, **content) -> GateRequest:
    shown = {"proposal": {"action": ACTION}, "is_reversible": is_reversible, "executor": "machine", **content}
    return GateRequest(key="k", kind=kind, round=round, risk=risk, digest="d" * 64, content=shown)


def answer(policy: str, asked: GateRequest, **known):
    known = {"budget": Budget(), "spent": Spent(rounds=1), "is_first_use": False, **known}
    return answer_by_policy(judge(preset(policy), facts_of(asked, **known)), asked, at="now")


def passed(policy: str, asked: GateRequest, **known) -> bool:
    return answer(policy, asked, **known) is not None


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("every_step", False),
        ("risky_only", True),
        ("milestones_5", True),
        ("milestones_10", True),
        ("budget_shares", True),
        ("first_use", True),
        ("low_confidence", False),
        ("hypothesis_change", False),
        ("auto", True),
    ],
)
def test_a_harmless_proposal(policy, expected):
    assert passed(policy, request()) is expected


def test_every_policy_is_tried_here():
    assert (
        *("every_step", "risky_only", "milestones_5", "milestones_10", "budget_shares"),
        *("first_use", "low_confidence", "hypothesis_change", "auto"),
    ) == POLICIES


@pytest.mark.parametrize(
    ("spent", "asked", "expected"), [(12, 0, True), (13, 0, False), (13, 0.26, True), (46, 0.9, False)]
)
def test_each_quarter_of_the_budget_is_asked_about(spent, asked, expected):
    known = {"spent": Spent(rounds=spent), "asked_share": asked}
    assert passed("budget_shares", request(), **known) is expected


def test_the_first_use_of_a_tool_is_asked_about():
    assert not passed("first_use", request(), is_first_use=True)
    assert not passed("first_use", request(), is_first_use=None)


@pytest.mark.parametrize(
    ("confidence", "expected"), [(0.59, False), (0.6, True), (None, False), ("sure", False)]
)
def test_an_unsure_reasoner_is_asked_about(confidence, expected):
    asked = request(proposal={"action": ACTION, "hypothesis": {"text": "h", "confidence": confidence}})
    assert passed("low_confidence", asked) is expected


@pytest.mark.parametrize(
    ("current", "expected"),
    [({"text": "h", "round": 1}, True), ({"text": "h", "round": 3}, False), (None, False)],
)
def test_a_new_hypothesis_is_asked_about(current, expected):
    asked = request(round=3, proposal={"action": ACTION, "hypothesis": {"text": "h"}})
    assert passed("hypothesis_change", asked, hypothesis=current) is expected


@pytest.mark.parametrize(
    "risky", [{"risk": "medium"}, {"risk": "high"}, {"is_reversible": False}, {"executor": "person"}]
)
def test_what_is_risky_goes_to_a_person(risky):
    assert not passed("risky_only", request(**risky))


@pytest.mark.parametrize(("round", "expected"), [(4, True), (5, False), (6, True), (10, False)])
def test_milestones_go_to_a_person(round, expected):
    assert passed("milestones_5", request(round=round)) is expected


@pytest.mark.parametrize("kind", [GateKind.RESULT, GateKind.OUTCOME, GateKind.ATTENTION])
@pytest.mark.parametrize("policy", POLICIES)
def test_what_only_a_person_knows_passes_no_policy(policy, kind):
    assert not passed(policy, request(kind))


@pytest.mark.parametrize("policy", POLICIES)
def test_only_an_unattended_run_ends_by_itself(policy):
    assert passed(policy, request(GateKind.FINISH)) is (policy == "auto")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", [GateKind.PROPOSAL, GateKind.FINISH])
def test_what_must_be_reviewed_passes_no_policy(policy, kind):
    assert not passed(policy, request(kind, force_review=True))


@pytest.mark.parametrize("policy", ["", "AUTO", "milestones_", "milestones_0", "milestones_-1", "never"])
def test_an_unknown_policy_passes_nothing(policy):
    assert not passed(policy, request())


def test_the_answer_names_the_policy_and_carries_the_action():
    given = answer("auto", request())
    assert (given.verdict, given.by, given.source, given.at) == (
        "approve",
        "policy",
        "policy: auto, rule 1",
        "now",
    )
    assert (given.action.model_dump(), given.action_digest) == (ACTION, "d" * 64)
