"""Rules over several runs: distilled only from what holds in run after run, and weighed by what comes later."""

import random

from agents.core.brief import WholeMemory
from agents.core.findings import Finding
from agents.reasoners.optimiser.rules import by_run, rules_of, seen_by_run
from agents.reasoners.optimiser.tidying import operations_on
from tests.reasoners.optimiser.briefs import brief, reaction_yield, row, study

HEADLINE = "ligand: X-Phos gives a higher yield than P(fur)3, other factors accounted for."


def campaign(run: int | None, respond=reaction_yield, *, count: int = 36, noise: float = 1.0):
    """Return the experiments of one run: ``count`` random conditions with noise."""
    chance = random.Random(run or 0)
    rows = []
    for number in range(1, count + 1):
        conditions = {
            "base": chance.choice(["KOAc", "CsOAc", "CsOPiv"]),
            "ligand": chance.choice(["X-Phos", "PPh3", "PCy3", "P(fur)3"]),
            "temperature": chance.choice([90, 105, 120]),
        }
        measured = respond(conditions) + chance.gauss(0, noise)
        rows.append(row(number, conditions, measured, run=run).model_copy(update={"id": f"{run}-{number}"}))
    return rows


def upside_down(conditions):
    return 90 - reaction_yield(conditions)


def seen(*campaigns, protocol=None):
    rows = [each for rows in campaigns for each in rows]
    return seen_by_run(by_run(rows, own=1), protocol or study())


def test_what_two_runs_show_becomes_a_rule_a_factor_with_the_runs_as_evidence():
    found = rules_of(seen(campaign(1), campaign(2)))
    assert {op.text.partition(":")[0] for op in found} == {"base", "ligand", "temperature"}
    assert len(found) == 3
    for op in found:
        assert [(each.run, each.stance) for each in op.runs] == [(1, "for"), (2, "for")]
        assert "95 % interval" in op.runs[0].text


def test_one_run_alone_makes_no_rule():
    assert rules_of(seen(campaign(1))) == []


def test_a_run_that_shows_the_opposite_keeps_a_rule_from_being_made():
    found = seen(campaign(1), campaign(2), campaign(3, upside_down))
    assert [each.stance for each in found[HEADLINE]] == ["for", "for", "against"]
    assert rules_of(found) == []


def test_a_difference_within_the_noise_speaks_neither_way():
    assert seen(campaign(1, lambda _: 50.0), campaign(2, lambda _: 50.0)) == {}


def test_experiments_that_came_with_the_study_count_as_one_set():
    past = [each.model_copy(update={"round": None}) for each in campaign(None)]
    found = rules_of(seen(past, campaign(2)))
    assert [each.run for each in found[0].runs] == [0, 2]


def test_a_factor_of_which_a_rule_speaks_already_is_left_alone():
    found = rules_of(seen(campaign(1), campaign(2)), known=[HEADLINE])
    assert {op.text.partition(":")[0] for op in found} == {"base", "temperature"}


def test_pure_chance_makes_hardly_any_rule():
    made = 0
    for trial in range(20):
        chance = random.Random(trial)
        runs = [campaign(3 * trial + k, lambda _, c=chance: c.gauss(50, 10)) for k in range(1, 4)]
        made += len(rules_of(seen(*runs)))
    assert made == 0


def test_the_milestone_review_merges_what_says_the_very_same_and_distils_rules():
    rows = [*campaign(1), *(each.model_copy(update={"run": None}) for each in campaign(2))]
    texts = {"F1": "KOAc is slow", "F2": "DMAc is fine", "F3": "koac is  slow"}
    findings = [Finding(id=key, study_id="s", text=text) for key, text in texts.items()]
    whole = WholeMemory(run=2, findings=findings)
    first, *rules = operations_on(brief(study(), rows), whole)
    assert (first.op, first.finding, first.other) == ("merge", "F1", "F3")
    assert [op.op for op in rules] == ["distil"] * 3
    assert {each.run for op in rules for each in op.runs} == {1, 2}
    known = [Finding(id="F9", study_id="s", text=op.text, kind="rule") for op in rules]
    assert operations_on(brief(study(), rows), whole.model_copy(update={"rules": known})) == [first]
