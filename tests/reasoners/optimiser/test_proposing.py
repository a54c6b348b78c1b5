import pytest

from agents.core.brief import Step, Veto
from agents.core.budget import Budget, Spent
from agents.core.constraints import violations
from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.gates import Guidance
from agents.core.ledger import judge
from agents.core.measurement import conditions_digest
from agents.core.proposal import Hypothesis
from agents.core.science import Bound, Exclusion, Objective, Space
from agents.core.tools import Action
from tests.reasoners.optimiser.briefs import (
    REACTION,
    brief,
    drive,
    limit,
    next_experiment,
    propose,
    reaction_yield,
    row,
    study,
)

WRITTEN = Hypothesis(text="Potassium is the culprit.", by="ana", since=4)


def test_a_persons_hypothesis_is_what_the_next_rounds_go_on_from():
    rows = drive(study(), reaction_yield, 6)
    proposal = next_experiment(brief(study(), rows, hypothesis=WRITTEN))
    assert (proposal.hypothesis.text, proposal.hypothesis.by) == (WRITTEN.text, "ana")
    assert "comes out outside" in proposal.hypothesis.refuted_by


def test_a_persons_hypothesis_gives_way_to_evidence():
    rows = drive(study(), reaction_yield, 6)
    steps = [Step(round=5, action=Action(tool="measure"), outcome="", stance="against")]
    proposal = next_experiment(brief(study(), rows, hypothesis=WRITTEN, steps=steps))
    assert proposal.hypothesis.text != WRITTEN.text
    assert not proposal.hypothesis.by


def measured(count: int, seed: int = 0):
    return drive(study(), reaction_yield, count, seed=seed)


def test_the_action_calls_the_experiment_tool_with_plain_conditions():
    action = next_experiment(brief(study())).action
    assert action.tool == "measure"
    assert list(action.arguments) == ["base", "ligand", "temperature"]
    assert judge(action.arguments, rows=[], space=REACTION, constraints=[]) == []


def test_seed_and_ledger_decide_so_that_a_restart_proposes_the_same():
    rows = measured(6)
    assert propose(brief(study(), rows)) == propose(brief(study(), rows))


def test_seeds_start_at_different_places():
    first = {conditions_digest(next_experiment(brief(study()), seed).action.arguments) for seed in range(8)}
    assert len(first) > 3


def test_every_condition_is_proposed_once_and_then_the_search_ends():
    rows = measured(40)
    assert len({conditions_digest(r.conditions) for r in rows}) == len(rows) == 36
    finish = propose(brief(study(), rows)).finish
    assert finish.answer == (
        "Every legal candidate has been tried or was vetoed. Best measured: yield 82 % at base CsOPiv, "
        "ligand X-Phos, temperature 120 °C."
    )


def test_the_end_stands_on_the_findings_of_the_run():
    held = Finding(id="f1", study_id="s", text="X-Phos is best")
    gone = Finding(id="f2", study_id="s", text="heat does nothing", status="retracted")
    finish = propose(brief(study(), measured(40), findings=[held, gone])).finish
    assert finish.findings == ["f1"]


def test_when_nothing_is_left_and_people_go_on_the_best_is_measured_again_until_it_is_known():
    rows = measured(40)
    best = max(rows, key=lambda r: r.value_of("yield"))
    for times in range(3):
        proposal = next_experiment(brief(study(), rows, finish_refused=True))
        assert (proposal.is_replicate, proposal.action.arguments) == (True, best.conditions)
        rows.append(row(len(rows) + 1, best.conditions, 82.0 + times / 10))
    assert propose(brief(study(), rows, finish_refused=True)).finish is not None


def test_the_best_of_36_is_found_within_a_dozen():
    for seed in range(5):
        assert max(r.value_of("yield") for r in measured(12, seed)) == 82.0


def test_constraints_are_never_broken():
    limits = [
        limit(Bound(parameter="temperature", op="<=", value=105)),
        limit(Exclusion(values={"base": "CsOPiv", "ligand": "X-Phos"})),
    ]
    rows = drive(study(constraints=limits), reaction_yield, 40)
    assert len(rows) == 3 * 4 * 2 - 2
    assert [r for r in rows if violations(r.conditions, limits)] == []


def test_failed_and_planned_rows_are_not_proposed_again():
    wanted = next_experiment(brief(study())).action.arguments
    for status in ("failed", "abandoned", "planned"):
        again = next_experiment(brief(study(), [row(1, wanted, status=status)], round=1)).action.arguments
        assert again != wanted


def test_a_failed_row_tells_the_surrogate_nothing():
    rows = measured(8)
    failed = row(9, next_experiment(brief(study(), rows)).action.arguments, status="failed")
    with_it, without = (next_experiment(brief(study(), [*rows, *more])) for more in ([failed], []))
    assert with_it.hypothesis.text == without.hypothesis.text


def test_a_vetoed_condition_does_not_come_again():
    rows = measured(6)
    refused = next_experiment(brief(study(), rows)).action
    vetoed = brief(study(), rows, vetoes=[Veto(round=7, action=refused)])
    assert next_experiment(vetoed).action != refused


def test_after_refusals_of_the_gate_something_else_is_proposed():
    rows = measured(6)
    tries = [next_experiment(brief(study(), rows, refusals=["no"] * k)).action for k in range(4)]
    assert len({conditions_digest(action.arguments) for action in tries}) == 4


def test_the_start_is_spread_and_says_how_far_it_is():
    proposal = next_experiment(brief(study(), measured(2)))
    assert proposal.details["phase"] == "spread"
    assert proposal.reason.startswith("Experiment 3 of 4 spread over the space before modelling")
    starts = measured(4)
    assert len({r.conditions["ligand"] for r in starts}) == 4


def test_a_modelled_proposal_states_prediction_reason_and_figures():
    proposal = next_experiment(brief(study(), measured(8)))
    prediction, details = proposal.prediction, proposal.details
    assert prediction.low <= prediction.mean <= prediction.high
    assert (prediction.objective, prediction.unit, prediction.level) == ("yield", "%", 0.9)
    assert details["phase"] == "model"
    assert details["acquisition"] > 0
    assert details["mean"] == pytest.approx(prediction.mean, abs=1e-3)
    assert "Expected improvement" in proposal.reason
    assert "The nearest measured (round" in proposal.reason


def test_the_hypothesis_names_what_matters_and_what_would_refute_it():
    proposal = next_experiment(brief(study(), measured(12)))
    assert proposal.hypothesis.text.startswith("The yield depends mostly on ligand (")
    assert "X-Phos does best" in proposal.hypothesis.text
    assert "90 % interval" in proposal.hypothesis.text
    assert proposal.hypothesis.refuted_by.startswith("The yield of the proposed experiment comes out outside")


def test_the_interval_stays_inside_what_the_response_can_be():
    near_the_top = drive(study(), lambda c: min(100.0, reaction_yield(c) + 30), 14)
    prediction = next_experiment(brief(study(), near_the_top)).prediction
    assert 0 <= prediction.low <= prediction.high <= 100


def test_before_any_value_the_prediction_is_the_range_of_the_response():
    prediction = next_experiment(brief(study())).prediction
    assert (prediction.low, prediction.mean, prediction.high) == (5, 50, 95)
    unbounded = study(objectives=[Objective(name="yield")])
    assert next_experiment(brief(unbounded)).prediction is None


def test_the_first_hypothesis_is_the_study_s_own():
    own = study(initial_hypothesis="The ligand matters most.")
    assert next_experiment(brief(own)).hypothesis.text == "The ligand matters most."


def test_minimising_goes_the_other_way():
    low = study(objectives=[Objective(name="yield", goal="minimise")])
    assert min(r.value_of("yield") for r in drive(low, reaction_yield, 12)) == 0.0


def test_a_target_is_approached_from_both_sides():
    aim = study(objectives=[Objective(name="yield", goal="target", target=37.0)])
    assert min(abs(r.value_of("yield") - 37) for r in drive(aim, reaction_yield, 12)) == 0.0


def test_guidance_that_names_a_level_is_followed_and_quoted():
    told = brief(study(), measured(6), guidance=[Guidance(seq=1, text="Please use PCy3, at 90 °C or so")])
    proposal = next_experiment(told)
    assert proposal.action.arguments["ligand"] == "PCy3"
    assert "was followed: ligand is PCy3; temperature is equal to 90." in proposal.reason


def test_guidance_that_names_nothing_is_said_to_be_unusable():
    told = brief(study(), measured(6), guidance=[Guidance(seq=1, text="Think about sustainability.")])
    assert "it names no factor with a level" in next_experiment(told).reason


def test_guidance_that_no_candidate_meets_is_said_to_be_impossible():
    cold = study(constraints=[limit(Bound(parameter="temperature", op="<=", value=105))])
    told = brief(cold, guidance=[Guidance(seq=1, text="temperature = 120")])
    assert "but no open candidate meets it" in next_experiment(told).reason


def test_a_spent_budget_ends_the_run():
    finish = propose(brief(study(), budget=Budget(experiments=5), spent=Spent(experiments=5))).finish
    assert finish.answer.startswith("The budget has no experiments left.")


def test_given_candidates_are_the_only_ones():
    rows = [{"base": "KOAc", "ligand": ligand, "temperature": 90.0} for ligand in ("X-Phos", "PPh3")]
    foreign = {"base": "KOAc", "ligand": "BrettPhos", "temperature": 90.0}
    proposal = next_experiment(brief(study()), candidates=lambda: [*rows, foreign])
    assert proposal.action.arguments in rows
    assert proposal.details["candidates"] == 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"space": Space()}, "space"),
        ({"objectives": []}, "objectives"),
        ({"experiment_tool": ""}, "experiment_tool"),
    ],
)
def test_a_study_that_lacks_something_is_told_what(changes, field):
    with pytest.raises(BadInput) as caught:
        propose(brief(study(**changes)))
    assert [problem["field"] for problem in caught.value.problems] == [field]
    assert problem_text(caught) == str(caught.value)


def problem_text(caught) -> str:
    return caught.value.problems[0]["message"]


def test_limits_that_leave_nothing_are_reported():
    none = study(constraints=[limit(Bound(parameter="temperature", op=">", value=120))])
    with pytest.raises(BadInput, match="widen a bound or retire a constraint"):
        propose(brief(none))
