import asyncio

from agents.core.findings import Finding
from agents.core.proposal import MemoryOperation
from agents.core.science import Objective
from agents.reasoners.optimiser import OptimiserReasoner
from agents.reasoners.optimiser.effects import Effect, effects
from agents.reasoners.optimiser.encoding import encoding_of
from agents.reasoners.optimiser.observations import observe
from agents.reasoners.optimiser.reflection import effect_text
from tests.reasoners.optimiser.briefs import LIGAND, REACTION, YIELD, brief, drive, reaction_yield, row, study

SCATTER = [0.6, -1.1, 0.3, 1.4, -0.7, 0.2, -1.3, 0.9, -0.4, 0.8]


def jittered(count: int):
    """A ledger whose values scatter a little, so that intervals have a width."""
    rows = drive(study(), reaction_yield, count)
    return [
        r.model_copy(
            update={
                "measurements": [
                    m.model_copy(update={"value": m.value + SCATTER[k % 10]}) for m in r.measurements
                ]
            }
        )
        for k, r in enumerate(rows)
    ]


def flat():
    """A ledger of a response that no factor changes."""
    return [row(k + 1, r.conditions, 50 + SCATTER[(7 * k * k) % 10]) for k, r in enumerate(jittered(24))]


def reflect(rows, findings=()) -> list[MemoryOperation]:
    given = brief(study(), rows, findings=list(findings), round=len(rows))
    return asyncio.run(OptimiserReasoner(0).reflect(given))


def finding(text: str, name: str = "f1") -> Finding:
    return Finding(id=name, study_id="s", text=text)


def test_the_effect_of_a_factor_is_recovered_with_its_interval():
    observations = observe(brief(study(), jittered(30)), encoding_of(REACTION))
    found = {e.parameter.name: e for e in effects(list(observations.points), REACTION, YIELD)}
    heat, ligand = found["temperature"], found["ligand"]
    assert heat.low < 10.0 < heat.high
    assert ligand.settings[1] == "X-Phos"
    assert heat.is_supported and ligand.is_supported


def test_too_few_measurements_support_nothing():
    observations = observe(brief(study(), jittered(6)), encoding_of(REACTION))
    assert effects(list(observations.points), REACTION, YIELD) == []


def test_a_flat_response_supports_no_effect():
    observations = observe(brief(study(), flat()), encoding_of(REACTION))
    assert not any(e.is_supported for e in effects(list(observations.points), REACTION, YIELD))


def test_for_a_minimised_response_the_best_level_is_the_lowest():
    lowest = Objective(name="yield", goal="minimise")
    observations = observe(brief(study(), jittered(30)), encoding_of(REACTION))
    found = {e.parameter.name: e for e in effects(list(observations.points), REACTION, lowest)}
    assert found["ligand"].settings[0] == "X-Phos"
    assert found["ligand"].difference < 0


def test_the_first_value_becomes_the_best_so_far():
    (operation,) = reflect(jittered(1))
    assert operation.op == "add"
    assert operation.text.startswith("Best so far: yield ")
    assert operation.evidence == [1]


def test_a_better_value_revises_the_same_finding():
    rows = [row(1, r.conditions, value) for r, value in zip(jittered(2), (10.0, 20.0), strict=True)]
    rows = [rows[0], rows[1].model_copy(update={"id": "e2", "round": 2})]
    (operation,) = reflect(rows, [finding("Best so far: yield 10 % at base KOAc.", "best")])
    assert (operation.op, operation.finding) == ("revise", "best")
    assert "yield 20 %" in operation.text


def test_a_worse_value_changes_nothing():
    rows = [row(1, jittered(2)[0].conditions, 20.0), row(2, jittered(2)[1].conditions, 10.0)]
    assert reflect(rows, [finding("Best so far: yield 20 %.")]) == []


def test_a_new_best_inside_the_noise_is_not_claimed():
    first, second, third = (r.conditions for r in jittered(3))
    noisy = [row(1, first, 18.0), row(2, first, 22.0), row(3, second, 40.0), row(4, third, 40.5)]
    assert [o for o in reflect(noisy) if "40.5" in o.text] == []


def test_a_supported_effect_is_added_once():
    rows = jittered(30)
    first = next(n for n in range(8, 31) if any(o.text.startswith("ligand: ") for o in reflect(rows[:n])))
    added = next(o for o in reflect(rows[:first]) if o.text.startswith("ligand: "))
    assert "ligand: X-Phos gives a higher yield than" in added.text
    assert "95 % interval" in added.text
    assert not any(o.op == "add" and o.text.startswith("ligand: ") for o in reflect(rows[: first + 1]))


def test_further_evidence_supports_a_filed_effect():
    rows = jittered(30)
    text = next(o.text for n in range(8, 31) for o in reflect(rows[:n]) if o.text.startswith("temperature: "))
    filed = finding(text.replace("n = ", "n = 9"), "heat")
    operations = [o for o in reflect(rows, [filed]) if o.finding == "heat"]
    assert [o.op for o in operations] == ["support"]


def test_a_filed_effect_that_vanishes_is_contradicted():
    filed = finding("temperature: going from 90 to 120 °C raises the yield by 10 % (n = 8 and 8).", "heat")
    operations = [o for o in reflect(flat(), [filed]) if o.finding == "heat"]
    assert [o.op for o in operations] == ["contradict"]
    assert "includes zero" in operations[0].reason


def test_a_failed_experiment_changes_no_finding():
    rows = [*jittered(10), row(11, {"base": "KOAc", "ligand": "PPh3", "temperature": 90.0}, status="failed")]
    assert reflect(rows) == []


def test_at_most_three_changes_a_result():
    assert all(len(reflect(jittered(36)[:n])) <= 3 for n in range(1, 37, 5))


def test_the_counts_stand_in_the_order_in_which_the_levels_are_named():
    """The better level was measured eight times, the worse one three times."""
    rare, often = LIGAND.levels[1], LIGAND.levels[0]
    effect = Effect(LIGAND, (rare, often), 40.0, 30.0, 50.0, (3, 8))
    text = effect_text(effect, YIELD)
    assert f"{often} gives a higher yield than {rare}" in text
    assert "n = 8 and 3" in text


def wide(**limits) -> tuple[Effect, Objective]:
    return (
        Effect(LIGAND, ("X-Phos", "PPh3"), difference=72.4, low=38.4, high=107.0, counts=(3, 4)),
        Objective(name="yield", **limits),
    )


def test_a_difference_of_percentages_is_told_in_percentage_points_and_never_above_what_is_possible():
    for limits in ({"unit": "%"}, {"unit": "%", "low": 0, "high": 100}):
        assert "by 72.4 percentage points (95 % interval 38.4 to 100, n = " in effect_text(*wide(**limits))
    narrow = wide(unit="%", low=0, high=60)
    assert "by 60 percentage points (95 % interval 38.4 to 60, n = " in effect_text(*narrow)


def test_a_difference_of_another_unit_keeps_its_unit_and_its_bounds():
    assert "by 72.4 mg (95 % interval 38.4 to 107, n = " in effect_text(*wide(unit="mg"))


def test_a_percentage_that_was_seen_to_differ_by_more_than_a_hundred_is_not_cut():
    effect = Effect(LIGAND, ("X-Phos", "PPh3"), difference=150.0, low=110.0, high=190.0, counts=(3, 4))
    told = effect_text(effect, Objective(name="growth", unit="%"))
    assert "by 150 percentage points (95 % interval 110 to 190" in told
