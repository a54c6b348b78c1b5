"""Findings change by rule: operations name what they change, and code does it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.findings import Finding
from agents.core.memory import UnknownFinding, apply_operation, confidence, same_claim
from agents.core.proposal import MemoryOperation

KNOWN = [
    Finding(id="F1", study_id="s", text="heat helps", support=2, confidence=0.75, evidence=[{"round": 1}])
]


def apply(op: str, **fields) -> Finding:
    operation = MemoryOperation(op=op, **fields)
    return apply_operation(KNOWN, operation, new_id="F2", study_id="s", run_id="r", round=7)


def test_a_new_claim_is_added_with_its_evidence():
    found = apply("add", text=" stirring helps ", evidence=[3, 4, 4])
    assert (found.id, found.text, found.support, found.confidence) == ("F2", "stirring helps", 2, 0.75)
    assert [e["round"] for e in found.evidence] == [3, 4, 4]


def test_without_evidence_of_its_own_the_round_stands_for_it():
    assert apply("add", text="stirring helps").evidence == [{"round": 7, "stance": "for"}]


def test_a_claim_that_stands_is_supported_instead():
    found = apply("add", text="Heat  HELPS")
    assert (found.id, found.support, found.version) == ("F1", 3, 2)


@pytest.mark.parametrize(
    ("op", "support", "against", "status"),
    [("support", 3, 0, "active"), ("contradict", 2, 1, "active"), ("retire", 2, 0, "superseded")],
)
def test_what_each_operation_does(op, support, against, status):
    found = apply(op, finding="F1", evidence=[6])
    assert (found.support, found.against, found.status) == (support, against, status)
    assert found.confidence == confidence(support, against)
    assert found.evidence[-1]["round"] == 6


def test_a_revision_keeps_the_history_and_needs_a_text():
    found = apply("revise", finding="F1", text="heat helps up to 120 °C")
    assert (found.text, found.version, found.evidence[0]) == ("heat helps up to 120 °C", 2, {"round": 1})
    assert apply("revise", finding="F1", text="  ").text == "heat helps"


def test_a_finding_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(UnknownFinding, match=r"no finding 'F9' \(there are: F1\)"):
        apply("support", finding="F9")


def test_an_empty_claim_is_refused():
    with pytest.raises(ValueError, match="needs a text"):
        apply("add", text="  ")


def test_the_model_does_not_set_the_confidence():
    assert apply("add", text="stirring helps", confidence=1.0).confidence == confidence(1, 0)


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_confidence_grows_with_support_and_falls_with_contradiction(support, against):
    value = confidence(support, against)
    assert 0 <= value <= 1
    assert confidence(support + 1, against) >= value >= confidence(support, against + 1)


def test_nothing_known_is_half():
    assert confidence(0, 0) == 0.5


@pytest.mark.parametrize(
    ("left", "right", "same"), [("A  b", "a B", True), ("STRASSE", "straße", True), ("a", "b", False)]
)
def test_claims_are_compared_without_case_and_space(left, right, same):
    assert same_claim(left, right) is same


@pytest.mark.parametrize(
    "given",
    [
        {"op": "support", "finding": "F1", "evidence": [1]},
        {"op": "add", "text": "Heat helps", "evidence": [1, 1]},
        {"op": "revise", "finding": "F1", "text": "heat helps", "evidence": [1]},
    ],
)
def test_a_round_that_is_filed_again_changes_nothing(given):
    assert apply(**given) is KNOWN[0]


def test_a_round_counts_once_beside_a_new_one():
    found = apply("support", finding="F1", evidence=[1, 2, 2])
    assert (found.support, [item["round"] for item in found.evidence]) == (3, [1, 2])


def test_new_words_without_new_evidence_are_kept_and_count_nothing():
    found = apply("revise", finding="F1", text="heat helps much", evidence=[1])
    assert (found.text, found.support, found.evidence) == ("heat helps much", 2, [{"round": 1}])


def test_a_round_may_still_speak_against_what_it_supported():
    found = apply("contradict", finding="F1", evidence=[1])
    assert (found.support, found.against) == (2, 1)
