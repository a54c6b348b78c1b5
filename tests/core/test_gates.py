"""Which gates a policy passes by itself."""

import pytest

from agents.core.gates import POLICIES, GateKind, GateRequest, answer_by_policy

ACTION = {"tool": "weigh", "arguments": {"dose": 5}}


def request(kind=GateKind.PROPOSAL, *, round=1, risk="low", is_reversible=True, **content) -> GateRequest:
    shown = {"proposal": {"action": ACTION}, "is_reversible": is_reversible, "executor": "machine", **content}
    return GateRequest(key="k", kind=kind, round=round, risk=risk, digest="d" * 64, content=shown)


def passed(policy: str, asked: GateRequest) -> bool:
    return answer_by_policy(policy, asked, at="now") is not None


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("every_step", False),
        ("risky_only", True),
        ("milestones_5", True),
        ("milestones_10", True),
        ("auto", True),
    ],
)
def test_a_harmless_proposal(policy, expected):
    assert passed(policy, request()) is expected


def test_every_policy_is_tried_here():
    assert POLICIES == ("every_step", "risky_only", "milestones_5", "milestones_10", "auto")


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
    answer = answer_by_policy("auto", request(), at="now")
    assert (answer.verdict, answer.by, answer.source, answer.at) == (
        "approve",
        "policy",
        "policy: auto",
        "now",
    )
    assert (answer.action.model_dump(), answer.action_digest) == (ACTION, "d" * 64)
