import asyncio

from agents.reasoners.optimiser import OptimiserReasoner
from tests.reasoners.optimiser.briefs import brief, drive, reaction_yield, row, study


def summarise(rows) -> str:
    return asyncio.run(OptimiserReasoner(0).summarise(brief(study(), rows), None))


def test_the_conclusion_names_best_effects_and_trust():
    text = summarise(drive(study(), reaction_yield, 25))
    assert "- Best measured: yield 82 % at base CsOPiv, ligand X-Phos, temperature 120 °C." in text
    assert "- Best by the model, which evens out noise: yield 82 %" in text
    assert "ligand: X-Phos gives a higher yield than" in text
    assert "Predicting each result from all others," in text
    assert "25 conditions were measured, of 36 legal candidates" in text


def test_unknown_noise_is_said_and_known_noise_is_given():
    rows = drive(study(), reaction_yield, 8)
    assert "the noise of a measurement is unknown" in summarise(rows)
    again = row(9, rows[0].conditions, rows[0].value_of("yield") + 2.0)
    assert "A single measurement scatters by 1.41 %" in summarise([*rows, again])


def test_failures_and_replicates_are_counted():
    rows = drive(study(), reaction_yield, 5)
    rows += [
        row(6, rows[0].conditions, 12.0),
        row(7, {**rows[1].conditions, "base": "KOAc"}, status="failed"),
    ]
    assert "7 experiments: 1 replicates, 1 failed or abandoned." in summarise(rows)


def test_without_values_there_is_no_best():
    assert "No experiment gave a value." in summarise([])


def test_only_conditions_that_were_not_measured_are_called_not_measured():
    rows = drive(study(), reaction_yield, 12)
    assert "Not measured" not in summarise(rows)
    without_best = [r for r in rows if r.value_of("yield") < 75]
    assert "Not measured, but expected to be better: yield" in summarise(without_best)
