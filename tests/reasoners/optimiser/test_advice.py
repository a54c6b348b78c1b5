"""What the optimiser answers when it is asked: next experiments, and conditions worth a replicate."""

import pytest

from agents.core.brief import Veto
from agents.core.constraints import violations
from agents.core.gates import Guidance
from agents.core.science import Bound
from agents.core.tools import Action, EffectClass, ToolSpec
from agents.reasoners.optimiser import OptimiserReasoner
from tests.reasoners.optimiser.briefs import brief, drive, limit, reaction_yield, row, study

BY_HAND = ToolSpec(name="ask_researcher", executor="person")
LOOKED_UP = ToolSpec(name="measure", effect=EffectClass.LOCAL)
XPHOS = {"base": "KOAc", "ligand": "X-Phos", "temperature": 120}
PCY3 = {"base": "KOAc", "ligand": "PCy3", "temperature": 120}


def suggest(rows, count=3, **changes):
    given = changes.pop("protocol", None) or study()
    return OptimiserReasoner(0).suggest(brief(given, rows, **changes), count)


def repeats(rows, count=3, *, tool=BY_HAND, **changes):
    given = study(experiment_tool=tool.name)
    return OptimiserReasoner(0).repeats(brief(given, rows, tools=[tool], **changes), count)


def test_suggestions_are_new_distinct_legal_and_say_what_they_expect():
    protocol = study(constraints=[limit(Bound(parameter="temperature", op="<=", value=105))])
    rows = drive(protocol, reaction_yield, 8)
    found = suggest(rows, 3, protocol=protocol)
    assert len(found) == 3
    taken = [r.planned for r in rows]
    for place, each in enumerate(found):
        assert each.conditions not in taken + [other.conditions for other in found[:place]]
        assert not violations(each.conditions, protocol.constraints)
        (expected,) = each.expected
        assert 0 <= expected.low <= expected.mean <= expected.high <= 100
        assert (expected.objective, expected.unit) == ("yield", "%")
        assert each.reason.startswith("Expected improvement")
    assert found == suggest(rows, 3, protocol=protocol)


def test_before_there_is_a_model_suggestions_are_spread_and_promise_nothing():
    found = suggest([], 2)
    assert [(each.gain, each.expected) for each in found] == [(None, []), (None, [])]
    assert found[0].conditions != found[1].conditions


def test_guidance_and_vetoes_of_the_run_are_followed():
    rows = drive(study(), reaction_yield, 6)
    (first,) = suggest(rows, 1)
    veto = Veto(round=7, action=Action(tool="measure", arguments=first.conditions))
    told = suggest(rows, 1, vetoes=[veto], guidance=[Guidance(seq=1, text="try PCy3")])
    assert told[0].conditions["ligand"] == "PCy3"
    assert told[0].conditions != first.conditions


def test_when_nothing_is_open_nothing_is_suggested():
    every = [
        {"base": b, "ligand": ligand, "temperature": t}
        for b in ("KOAc", "CsOAc", "CsOPiv")
        for ligand in ("X-Phos", "PPh3", "PCy3", "P(fur)3")
        for t in (90, 105, 120)
    ]
    assert suggest([row(n, c, reaction_yield(c)) for n, c in enumerate(every, 1)]) == []


def test_while_nobody_knows_the_noise_the_best_is_worth_a_replicate():
    (found,) = repeats([row(1, XPHOS, 70.0), row(2, PCY3, 20.0)])
    assert (found.conditions, found.measured, found.mean, found.spread) == (XPHOS, 1, 70.0, None)
    assert "nobody knows how far a value scatters" in found.reason


def test_a_rival_inside_the_noise_is_worth_a_replicate_and_a_distant_one_is_not():
    near = {**XPHOS, "base": "CsOAc"}
    rows = [row(1, XPHOS, 70.0), row(2, XPHOS, 74.0), row(3, near, 71.0), row(4, PCY3, 20.0)]
    found = repeats(rows)
    assert [each.conditions for each in found] == [near]
    assert found[0].spread == pytest.approx(8**0.5)
    assert "inside the noise" in found[0].reason


def test_a_table_that_is_only_looked_up_is_never_worth_a_replicate():
    assert repeats([row(1, XPHOS, 70.0), row(2, PCY3, 20.0)], tool=LOOKED_UP) == []


def test_vetoed_and_settled_conditions_are_left_out():
    veto = Veto(round=3, action=Action(tool="ask_researcher", arguments=XPHOS))
    assert repeats([row(1, XPHOS, 70.0), row(2, PCY3, 20.0)], vetoes=[veto]) == []
    often = [row(n, XPHOS, 70.0 + n) for n in range(1, 5)]
    assert repeats([*often, row(5, PCY3, 20.0)]) == []
