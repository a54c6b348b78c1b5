"""Several responses at once."""

import asyncio

import numpy as np
import pytest

from agents.core.measurement import Experiment, Measurement
from agents.core.science import Objective, Parameter, Space
from agents.reasoners.optimiser import OptimiserReasoner
from agents.reasoners.optimiser.acquisition import goal_of, log_improvement
from tests.reasoners.optimiser.briefs import brief, study

GAIN = Objective(name="gain", unit="%", low=0, high=100)
COST = Objective(name="cost", goal="minimise", low=0, high=10)
SPACE = Space(parameters=[Parameter(name="dose", kind="ordered", levels=list(range(11)))])


def run(count: int) -> list[Experiment]:
    reasoner, rows = OptimiserReasoner(1), []
    for number in range(1, count + 1):
        turn = asyncio.run(reasoner.propose(brief(study(SPACE, objectives=[GAIN, COST]), rows), None))
        dose = turn.proposal.action.arguments["dose"]
        values = [Measurement(objective="gain", value=10 * dose), Measurement(objective="cost", value=dose)]
        rows.append(
            Experiment(
                id=str(number), planned=turn.proposal.action.arguments, measurements=values, round=number
            )
        )
    return rows


def test_desirability_is_the_geometric_mean_of_the_shares():
    goal = goal_of([GAIN, COST], [np.array([]), np.array([])])
    assert goal.utility([np.array([90.0]), np.array([6.0])])[0] == pytest.approx((0.9 * 0.4) ** 0.5)


def test_one_bad_response_spoils_the_whole():
    goal = goal_of([GAIN, COST], [np.array([]), np.array([])])
    even, lopsided = goal.utility([np.array([50.0, 100.0]), np.array([5.0, 10.0])])
    assert even > 4 * lopsided


def test_the_compromise_is_found():
    assert 5.0 in [row.conditions["dose"] for row in run(7)]


def test_the_proposal_says_how_responses_are_joined():
    rows = run(6)
    proposal = asyncio.run(
        OptimiserReasoner(1).propose(brief(study(SPACE, objectives=[GAIN, COST]), rows), None)
    ).proposal
    assert proposal.reason.startswith("gain and cost are joined as one desirability")
    assert set(proposal.details["responses"]) == {"gain", "cost"}
    assert proposal.prediction.objective == "gain"


def test_log_improvement_agrees_with_sampling_and_does_not_underflow():
    goal = goal_of([GAIN], [np.array([])])
    belief = [(np.array([1.0, -60.0, -61.0]), np.array([2.0, 1.0, 1.0]))]
    found = log_improvement(goal, 1.0, belief, best=2.0)
    draws = np.random.default_rng(0).normal(1.0, 2.0, 400_000)
    assert np.exp(found[0]) == pytest.approx(np.maximum(draws - 2.0, 0).mean(), rel=0.01)
    assert found[1] > found[2] > -np.inf


def test_an_experiment_without_one_response_waits_for_it():
    rows = run(6)
    partial = rows[-1].model_copy(update={"measurements": rows[-1].measurements[:1]})
    proposal = asyncio.run(
        OptimiserReasoner(1).propose(
            brief(study(SPACE, objectives=[GAIN, COST]), [*rows[:-1], partial]), None
        )
    ).proposal
    assert proposal.action.arguments != partial.planned
