"""A result against the prediction that came before it."""

import pytest

from agents.core.evidence import judge_evidence
from agents.core.measurement import Experiment, Measurement
from agents.core.science import Objective

YIELD = Objective(name="yield", unit="%")
PREDICTION = {"objective": "yield", "mean": 50.0, "low": 40.0, "high": 60.0}


def row(value: float | None, *, noise: float | None = None, status: str = "ok") -> Experiment:
    measured = Measurement(objective="yield", value=value, unit="%", uncertainty=noise, status=status)
    return Experiment(id="e", planned={}, measurements=[measured])


def judge(value, *, noise=None, prediction=PREDICTION, earlier=(), objective=YIELD):
    rows = [row(v) for v in earlier]
    return judge_evidence(row(value, noise=noise), prediction, rows, [objective])


@pytest.mark.parametrize(
    ("value", "noise", "stance", "inside"),
    [
        (50, None, "for", True),
        (40, None, "for", True),
        (60, None, "for", True),
        (61, None, "against", False),
        (61, 2.0, "inconclusive", False),
        (63, 2.0, "against", False),
        (35, 5.0, "inconclusive", False),
    ],
)
def test_it_is_for_inside_the_interval_and_against_beyond_the_noise(value, noise, stance, inside):
    judged = judge(value, noise=noise)
    assert (judged["stance"], judged["inside"], judged["error"]) == (stance, inside, value - 50)


def test_without_a_value_nothing_can_be_told():
    failed = judge_evidence(row(None, status="failed"), PREDICTION, [], [YIELD])
    assert failed == {"stance": "inconclusive", "inside": None, "value": None, "is_best": False}


@pytest.mark.parametrize("prediction", [None, {**PREDICTION, "objective": "purity"}])
def test_without_a_prediction_of_this_objective_it_is_not_scored(prediction):
    judged = judge(50, prediction=prediction)
    assert (judged["stance"], judged["inside"], judged["value"]) == ("inconclusive", None, 50)


@pytest.mark.parametrize(
    ("value", "noise", "earlier", "is_best"),
    [
        (10, None, [], True),
        (60, None, [50], True),
        (51, 2.0, [50], False),
        (53, 2.0, [50], True),
        (40, None, [50], False),
    ],
)
def test_the_best_is_better_by_more_than_the_noise(value, noise, earlier, is_best):
    assert judge(value, noise=noise, earlier=earlier)["is_best"] is is_best


def test_less_is_better_when_that_is_the_goal():
    assert judge(5, earlier=[9], objective=Objective(name="yield", goal="minimise"))["is_best"] is True


def test_a_guess_that_does_not_follow_from_the_hypothesis_is_scored_and_speaks_neither_way():
    guess = {"objective": "yield", "mean": 50.0, "low": 5.0, "high": 95.0, "tests_hypothesis": False}
    experiment = Experiment(id="", planned={"t": 1}, measurements=[Measurement(objective="yield", value=0.0)])

    found = judge_evidence(experiment, guess, [], [Objective(name="yield", unit="%")])

    assert (found["stance"], found["inside"]) == ("inconclusive", False)


def test_what_was_done_otherwise_is_neither_scored_nor_counted():
    done = Experiment(
        id="e",
        planned={"temperature": 120, "base": "KOAc"},
        actual={"temperature": 500},
        measurements=[Measurement(objective="yield", value=50, unit="%")],
    )
    judged = judge_evidence(done, PREDICTION, [], [YIELD])
    assert (judged["stance"], judged["inside"], judged["value"]) == ("inconclusive", None, 50)
    assert "temperature was 500 instead of 120" in judged["reason"]


def test_what_was_done_as_planned_within_rounding_is_scored():
    done = Experiment(
        id="e",
        planned={"temperature": 120},
        actual={"temperature": 120.00000000001},
        measurements=[Measurement(objective="yield", value=50, unit="%")],
    )
    assert judge_evidence(done, PREDICTION, [], [YIELD])["stance"] == "for"
