"""The milestone review by a model, over real HTTP: the whole memory goes out, only sound operations come back."""

import json

import pytest

from agents.core.brief import WholeMemory
from agents.core.errors import ModelFault
from agents.core.findings import Finding
from agents.testing import Answer, Say, Traits
from tests.reasoners.language_model.briefs import brief

OWN = {
    "F1": "KOAc gave 42 % at 90 °C.",
    "F2": "With KOAc the yield was 42 % at 90 °C.",
    "F3": "CsOPiv is faster.",
}
WHOLE = WholeMemory(
    run=3,
    findings=[Finding(id=key, study_id="s", text=text) for key, text in OWN.items()],
    rules=[Finding(id="1/F7", study_id="s", text="Caesium bases win.", kind="rule", scope="DMAc")],
    elsewhere=[Finding(id="2/F4", study_id="s", text="CsOPiv was faster than KOAc.")],
)
MERGE = {"op": "merge", "finding": "F1", "other": "F2", "reason": "The same measurement."}
RULE = {
    "op": "distil",
    "text": "CsOPiv is faster than KOAc.",
    "sources": ["F3", "2/f4"],
    "scope": "DMAc",
    "reason": "Two runs show it.",
}
RETIRE = {"op": "retire", "finding": "F3", "reason": "It says nothing new."}


def answer(*operations):
    return Answer({"operations": list(operations)})


async def tidied(lab, script, whole=WHOLE, **settings):
    async with lab(script, **settings) as b:
        found = await b.reasoner.tidy(brief(), whole, b.ears)
        return found, b


async def test_the_stronger_model_reads_everything_and_its_operations_come_back(lab):
    models = {"reason": "small", "refine": "strong"}
    traits = Traits(models=("small", "strong"))
    found, b = await tidied(lab, [answer(MERGE, RULE, RETIRE)], models=models, traits=traits)
    assert [(op.op, op.finding, op.other, op.sources) for op in found] == [
        ("merge", "F1", "F2", []),
        ("distil", "", "", ["F3", "2/F4"]),
        ("retire", "F3", "", []),
    ]
    assert b.server.requests[0]["model"] == "strong"
    prompt = b.asked(0)
    for text in (*OWN.values(), "Caesium bases win. [DMAc]", "2/F4 (for 1, against 0) CsOPiv was faster"):
        assert text in prompt
    assert [usage.role for usage in b.ears.usages] == ["refine"]


async def test_an_empty_list_is_a_good_answer(lab):
    found, b = await tidied(lab, [answer()])
    assert (found, b.ears.faults) == ([], [""])


BAD = {
    "unknown finding": ({**MERGE, "other": "F9"}, "there is no f9"),
    "with itself": ({**MERGE, "other": "F1"}, "name two findings"),
    "of another run": ({**MERGE, "other": "2/F4"}, "there is no 2/f4"),
    "too few sources": ({**RULE, "sources": ["F3"]}, "at least 2 sources"),
    "the same source twice": ({**RULE, "sources": ["F3", "F3"]}, "at least 2 sources"),
    "invented source": ({**RULE, "sources": ["F3", "F77"]}, "there is no f77"),
    "no reason": ({**MERGE, "reason": ""}, "say the reason"),
    "no text": ({**RULE, "text": ""}, "distil needs a text"),
    "another operation": ({"op": "delete", "finding": "F1", "reason": "away with it"}, "expected one of"),
    "no object": ("merge F1", "expected objects"),
}


@pytest.mark.parametrize("name", BAD)
async def test_what_makes_no_sense_is_asked_again_once_and_the_good_part_kept(lab, name):
    bad, told = BAD[name]
    found, b = await tidied(lab, [answer(RETIRE, bad), answer(RETIRE, bad)])
    assert [op.op for op in found] == ["retire"]
    assert b.ears.faults == ["bad_part", "bad_part"]
    assert told in b.asked(1)


async def test_prose_three_times_is_a_fault_with_every_try(lab):
    with pytest.raises(ModelFault) as fault:
        await tidied(lab, [Say("It all looks fine to me.")])
    assert len(fault.value.tries) == 3


async def test_a_fence_and_a_trailing_comma_are_mended(lab):
    text = json.dumps({"operations": [MERGE]})
    found, _ = await tidied(lab, [Say(f"```json\n{text[:-1]},}}\n```")])
    assert [op.op for op in found] == ["merge"]


async def test_a_memory_larger_than_the_window_is_cut_at_lines_and_says_so(lab):
    many = [
        Finding(id=f"F{n}", study_id="s", text=f"Finding number {n} about the base.") for n in range(1, 400)
    ]
    whole = WHOLE.model_copy(update={"findings": many})
    found, b = await tidied(lab, [answer()], whole, context_tokens=4000)
    assert found == []
    left = b.ears.usages[0].left_out
    assert left["findings"] > 100
    assert f"[{left['findings']} more findings stored]" in b.asked(0)
    assert "Caesium bases win." in b.asked(0)
