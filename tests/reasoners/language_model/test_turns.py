"""Reading a turn: memory operations, prediction, hypothesis and finish."""

import pytest

from agents.core.proposal import Finish, Hypothesis, MemoryOperation, Prediction
from agents.reasoners.language_model.replies import Unusable
from agents.reasoners.language_model.turns import read_turn
from tests.reasoners.language_model.briefs import brief, protocol
from tests.reasoners.language_model.replies import said_json

ACTION = {"tool": "measure", "arguments": {"base": "KOAc", "temperature": 90}}


def read(brief_=None, **parts):
    return read_turn(said_json({"action": ACTION, **parts}), brief_ or brief())


def fault_of(brief_=None, **parts):
    with pytest.raises(Unusable) as caught:
        read(brief_, **parts)
    return caught.value


def test_one_reply_carries_memory_hypothesis_action_prediction_and_reason():
    turn = read(
        memory=[
            {"op": "add", "text": "CsOPiv gives more.", "evidence": [5, 6], "confidence": 0.6},
            {"op": "contradict", "finding": "f3", "reason": "Round 6 gave less.", "evidence": [6]},
        ],
        hypothesis={"text": "Heat helps.", "refuted_by": "Less at 120 °C.", "confidence": 0.4},
        prediction={"objective": "yield", "mean": 50, "low": 40, "high": 60},
        reason="It separates the two.",
    )
    assert turn.memory == [
        MemoryOperation(op="add", text="CsOPiv gives more.", evidence=[5, 6], confidence=0.6),
        MemoryOperation(op="contradict", finding="F3", reason="Round 6 gave less.", evidence=[6]),
    ]
    assert turn.proposal.hypothesis.refuted_by == "Less at 120 °C."
    assert turn.proposal.prediction == Prediction(objective="yield", mean=50, low=40, high=60, unit="%")
    assert turn.proposal.reason == "It separates the two."


def test_an_unchanged_hypothesis_stands():
    assert read().proposal.hypothesis == brief().hypothesis


def test_a_persons_hypothesis_is_kept_and_the_card_says_so():
    written = Hypothesis(text="Caesium wins.", by="ana", since=3)
    turn = read(brief(hypothesis=written), hypothesis={"text": "Heat helps."})
    assert turn.proposal.hypothesis == written
    assert "hypothesis kept as ana wrote it: no result speaks against it" in turn.proposal.details["mended"]


def test_the_first_hypothesis_of_the_study_stands_while_there_is_no_other():
    assert read(brief(0, hypothesis=None)).proposal.hypothesis.text == "Yield rises with temperature."


def test_without_any_hypothesis_one_is_asked_for():
    none = brief(0, hypothesis=None, protocol=protocol(initial_hypothesis=""))
    assert str(fault_of(none)) == "hypothesis.text is missing and there is none yet"


def test_a_hypothesis_may_be_plain_text():
    assert read(hypothesis="Heat helps.").proposal.hypothesis.text == "Heat helps."


def test_finish_cites_findings():
    finish = {"answer": "CsOPiv at 105 °C.", "findings": ["F3", "F6"]}
    turn = read_turn(said_json({"memory": [], "finish": finish}), brief())
    assert (turn.proposal, turn.finish) == (None, Finish(answer="CsOPiv at 105 °C.", findings=["F3", "F6"]))


def test_an_empty_finish_beside_an_action_is_no_finish():
    assert read(finish={"answer": "", "findings": []}).finish is None


def test_a_declared_replicate():
    assert read(replicate=True).proposal.is_replicate


def test_an_operation_on_an_unknown_finding_is_named_and_the_rest_kept():
    fault = fault_of(
        memory=[{"op": "support", "finding": "F99"}, {"op": "add", "text": "Heat helps.", "evidence": [6]}]
    )
    assert str(fault) == "memory: there is no finding F99; there are: F2, F3, F4, F5, F6"
    assert fault.kept.memory == [MemoryOperation(op="add", text="Heat helps.", evidence=[6])]


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (
            {"op": "delete", "finding": "F3"},
            "memory op: expected one of add, support, revise, contradict, retire, received 'delete'",
        ),
        ({"op": "add"}, "memory: add needs a text"),
        ("F3 is wrong", "memory: expected an object, received 'F3 is wrong'"),
    ],
)
def test_an_operation_that_makes_no_sense_is_named(operation, message):
    assert str(fault_of(memory=[operation])) == message


def test_evidence_from_rounds_that_were_not_is_left_out():
    turn = read(memory=[{"op": "add", "text": "Heat helps.", "evidence": [6, "5", 7, 99, 0, -1]}])
    assert turn.memory[0].evidence == [5, 6]


def test_numbers_in_quotes_are_read_and_noted():
    proposal = read(prediction={"objective": "yield", "mean": "50", "low": 40, "high": "60"}).proposal
    assert proposal.prediction.mean == 50
    assert proposal.details["mended"] == [
        "prediction.mean '50' read as 50",
        "prediction.high '60' read as 60",
    ]


@pytest.mark.parametrize(
    ("prediction", "message"),
    [
        (
            {"objective": "yield", "mean": "NaN", "low": 1, "high": 2},
            "prediction.mean: NaN is no number; give a finite number",
        ),
        (
            {"objective": "yield", "mean": 5, "low": 6, "high": 7},
            "prediction: mean must lie from low to high",
        ),
        (
            {"objective": "yield", "mean": True, "low": 0, "high": 2},
            "prediction.mean: expected a number, received True",
        ),
        (
            {"objective": "purity", "mean": 1, "low": 0, "high": 2},
            "prediction.objective 'purity' is not known; known: yield",
        ),
    ],
)
def test_a_prediction_that_cannot_be_read_is_asked_for_again_and_left_out_if_need_be(prediction, message):
    fault = fault_of(prediction=prediction)
    assert str(fault) == message
    assert fault.kept.proposal.prediction is None


def test_a_confidence_out_of_range_is_left_out_with_a_note():
    proposal = read(hypothesis={"text": "Heat helps.", "confidence": 80}).proposal
    assert proposal.hypothesis.confidence is None
    assert proposal.details["mended"] == ["hypothesis.confidence 80 left out: it is no share from 0 to 1"]


def test_a_chinese_study_wants_chinese_words():
    chinese = brief(protocol=protocol(language="zh-hans"))
    assert str(fault_of(chinese, reason="It was not measured yet, so measure it.")) == (
        "write all text in Simplified Chinese (简体中文)"
    )
    assert (
        read(chinese, reason="KOAc 在 90 °C 下还没有测量过。").proposal.reason
        == "KOAc 在 90 °C 下还没有测量过。"
    )
