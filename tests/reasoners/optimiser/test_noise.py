"""Replicates, uncertainty and the claim of a new best."""

import asyncio

from agents.core.brief import Veto
from agents.core.measurement import Experiment, Measurement
from agents.core.science import Objective
from agents.core.tools import Action, EffectClass, ToolSpec
from agents.reasoners.optimiser import OptimiserReasoner
from agents.reasoners.optimiser.encoding import encoding_of
from agents.reasoners.optimiser.observations import observe
from tests.reasoners.optimiser.briefs import (
    REACTION,
    brief,
    drive,
    next_experiment,
    propose,
    reaction_yield,
    row,
    study,
)

XPHOS = {"base": "KOAc", "ligand": "X-Phos", "temperature": 90.0}
PPH3 = {"base": "KOAc", "ligand": "PPh3", "temperature": 90.0}
HOTTER = {"base": "KOAc", "ligand": "X-Phos", "temperature": 105.0}


def scattered(*values: float) -> list[Experiment]:
    """PPh3 three times with a standard deviation of 2, then the given values: X-Phos, X-Phos hotter."""
    rows = [row(k, PPH3, value, replicate=k) for k, value in enumerate((18.0, 20.0, 22.0), start=1)]
    return rows + [
        row(4 + k, where, value)
        for k, (where, value) in enumerate(zip((XPHOS, HOTTER), values, strict=False))
    ]


def test_noise_is_pooled_over_replicates():
    noise = observe(brief(study(), scattered(60.0)), encoding_of(REACTION)).noise["yield"]
    assert (noise.sd, noise.freedom, noise.is_known) == (2.0, 2, True)


def test_equal_conditions_are_one_point_with_their_mean():
    points = observe(brief(study(), scattered(60.0)), encoding_of(REACTION)).points
    assert [(p.mean("yield"), len(p.rows)) for p in points] == [(20.0, 3), (60.0, 1)]


def test_readings_within_a_row_count_like_repeated_experiments():
    several = Measurement(objective="yield", value=20.0, unit="%", replicates=[18.0, 20.0, 22.0])
    seen = observe(
        brief(study(), [Experiment(id="a", planned=PPH3, measurements=[several], origin="person")]),
        encoding_of(REACTION),
    )
    noise = seen.noise["yield"]
    assert (noise.sd, noise.freedom, seen.points[0].mean("yield")) == (2.0, 2, 20.0)
    assert list(seen.of("yield")[2]) == [3.0]


def test_stated_uncertainty_counts_when_nothing_was_repeated():
    stated = Measurement(objective="yield", value=50.0, unit="%", uncertainty=1.5)
    ledger = [Experiment(id="a", planned=XPHOS, measurements=[stated])]
    assert observe(brief(study(), ledger), encoding_of(REACTION)).noise["yield"].sd == 1.5


def test_a_missing_uncertainty_is_unknown_not_zero():
    noise = observe(brief(study(), [row(1, XPHOS, 50.0)]), encoding_of(REACTION)).noise["yield"]
    assert not noise.is_known


def test_a_new_best_inside_the_noise_is_measured_again():
    proposal = next_experiment(brief(study(), scattered(60.0, 61.0)))
    assert proposal.is_replicate
    assert proposal.action.arguments == HOTTER
    assert proposal.reason.startswith(
        "The new best leads by 1 percentage points, and replicates scatter by 2 %"
    )


def test_a_clear_new_best_is_believed():
    assert not next_experiment(brief(study(), scattered(60.0, 75.0))).is_replicate


def test_a_best_that_was_repeated_is_not_repeated_again():
    again = [*scattered(60.0, 61.0), row(6, HOTTER, 60.5, replicate=2)]
    assert not next_experiment(brief(study(), again)).is_replicate


def test_a_vetoed_replicate_is_not_asked_for_again():
    veto = Veto(round=6, action=Action(tool="measure", arguments=HOTTER))
    assert not next_experiment(brief(study(), scattered(60.0, 61.0), vetoes=[veto])).is_replicate


def test_a_table_that_is_looked_up_costs_no_replicate():
    rows = drive(study(), reaction_yield, 20)
    assert len({tuple(r.conditions.values()) for r in rows}) == 20


LOOKED_UP = [ToolSpec(name="measure", effect=EffectClass.LOCAL, is_experiment=True)]


def stated(number: int, conditions: dict, value: float, **changes) -> Experiment:
    given = Measurement(objective="yield", value=value, unit="%", uncertainty=1.2)
    return row(number, conditions, **changes).model_copy(update={"measurements": [given], "origin": "person"})


def test_a_look_up_is_not_repeated_for_an_uncertainty_that_was_stated_elsewhere():
    """A person's value of another run says how well people measure, not that the table scatters."""
    rows = [stated(1, PPH3, 18.0), row(2, XPHOS, 60.0), row(3, HOTTER, 60.5)]
    assert next_experiment(brief(study(), rows)).is_replicate
    assert not next_experiment(brief(study(), rows, tools=LOOKED_UP)).is_replicate


def test_a_look_up_is_not_repeated_for_replicates_that_came_with_the_study():
    rows = [r.model_copy(update={"origin": "past"}) for r in scattered()]
    rows += [row(4, XPHOS, 60.0), row(5, HOTTER, 60.5)]
    assert not next_experiment(brief(study(), rows, tools=LOOKED_UP)).is_replicate


def test_a_table_that_holds_several_values_is_read_again():
    proposal = next_experiment(brief(study(), scattered(60.0, 61.0), tools=LOOKED_UP))
    assert proposal.is_replicate


def test_when_all_is_tried_a_look_up_is_not_repeated_to_confirm():
    rows = drive(study(), reaction_yield, 40)
    assert len(rows) == 36
    asked = {"finish_refused": True}
    assert next_experiment(brief(study(), rows, **asked)).is_replicate
    assert propose(brief(study(), rows, tools=LOOKED_UP, **asked)).finish is not None


def test_where_people_measure_the_best_is_repeated_once_to_learn_the_noise():
    by_hand = [r.model_copy(update={"origin": "person"}) for r in drive(study(), reaction_yield, 5)]
    tools = [ToolSpec(name="measure", executor="person")]
    proposal = next_experiment(brief(study(), by_hand, tools=tools))
    assert proposal.is_replicate
    assert "nobody knows how far a value scatters" in proposal.reason
    assert not next_experiment(brief(study(), by_hand[:2], tools=tools)).is_replicate


def test_with_known_noise_the_prediction_covers_a_single_measurement():
    rows = scattered(60.0, 75.0)
    prediction = next_experiment(brief(study(), rows)).prediction
    assert prediction.high - prediction.low > 2 * 1.64 * 1.5


TOP = study(objectives=[Objective(name="yield", unit="%", low=0, high=76)])


def test_one_value_at_the_limit_ends_nothing():
    assert propose(brief(TOP, scattered(60.0, 76.0))).finish is None


def test_a_confirmed_value_at_the_limit_proposes_the_end_once():
    confirmed = [*scattered(60.0, 76.0), row(6, HOTTER, 75.5, replicate=2)]
    finish = propose(brief(TOP, confirmed)).finish
    assert finish.answer.startswith(
        "The yield has reached the best value it can have, 76 %, within the noise."
    )
    gone_on = propose(brief(TOP, confirmed, round=8))
    assert gone_on.finish is None


def test_reading_a_row_of_the_data_set_again_tells_nothing_of_the_noise():
    """Other runs of the study look the same rows up; that is no measurement of its own."""
    again = [
        row(k, where, value).model_copy(update={"instrument": "measure"})
        for k, (where, value) in enumerate([(XPHOS, 60.0), (PPH3, 20.0), (XPHOS, 60.0), (XPHOS, 60.0)])
    ]
    seen = observe(brief(study(), again), encoding_of(REACTION))
    assert not seen.noise["yield"].is_known
    assert list(seen.of("yield")[2]) == [1.0, 1.0]
    told = asyncio.run(OptimiserReasoner(0).summarise(brief(study(), again), None))
    assert "4 experiments: 0 replicates" in told
    assert "the noise of a measurement is unknown" in told
