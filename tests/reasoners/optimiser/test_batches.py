"""A study that asks for several experiments at once gets them as one list: all legal, all different."""

import asyncio

from agents.core.brief import Brief
from agents.core.budget import Budget, Spent
from agents.core.canonical import digest_of
from agents.core.tools import ToolSpec
from agents.core.workflow import actions_of, is_workflow
from agents.reasoners.optimiser import OptimiserReasoner
from tests.reasoners.optimiser.briefs import row, study

MACHINE = ToolSpec(name="measure", is_experiment=True)
PERSON = MACHINE.model_copy(update={"executor": "person"})
MEASURED = [
    row(1, {"base": "KOAc", "ligand": "PPh3", "temperature": 90}, 20.0),
    row(2, {"base": "CsOPiv", "ligand": "PPh3", "temperature": 105}, 55.0),
    row(3, {"base": "CsOAc", "ligand": "X-Phos", "temperature": 120}, 40.0),
    row(4, {"base": "KOAc", "ligand": "PCy3", "temperature": 120}, 35.0),
]


def proposed(experiments, *, batch: int = 5, tool: ToolSpec = MACHINE, **changes):
    brief = Brief(
        protocol=study(batch=batch),
        round=9,
        tools=[tool],
        experiments=experiments,
        budget=Budget(),
        **changes,
    )
    turn = asyncio.run(OptimiserReasoner(seed=1).propose(brief, None))
    assert turn.proposal is not None
    return turn.proposal


def test_five_different_experiments_none_of_them_measured_before():
    for experiments in ([], MEASURED):
        proposal = proposed(experiments)
        assert is_workflow(proposal.action)
        conditions = [action.arguments for action in actions_of(proposal.action)]
        known = {digest_of(each.planned) for each in experiments}
        assert len({digest_of(each) for each in conditions} - known) == 5


def test_each_has_a_prediction_of_its_own_and_the_first_is_what_would_have_come_alone():
    proposal = proposed(MEASURED)
    assert set(proposal.predictions) == {"1", "2", "3", "4", "5"}
    assert proposal.prediction is None
    alone = proposed(MEASURED, batch=1)
    assert alone.action == actions_of(proposal.action)[0]
    assert alone.prediction == proposal.predictions["1"]


def test_what_people_measure_is_proposed_one_by_one():
    assert not is_workflow(proposed(MEASURED, tool=PERSON).action)


def test_no_more_than_the_budget_has_left():
    brief_budget = {"budget": Budget(experiments=6), "spent": Spent(experiments=4)}
    brief = Brief(protocol=study(batch=5), round=9, tools=[MACHINE], experiments=MEASURED, **brief_budget)
    turn = asyncio.run(OptimiserReasoner(seed=1).propose(brief, None))
    assert len(actions_of(turn.proposal.action)) == 2


def test_the_same_study_and_ledger_give_the_same_list():
    assert proposed(MEASURED) == proposed(MEASURED)
