"""The reasoner as the engine sees it."""

import pytest

from agents.core.errors import BadInput, ModelFault
from agents.core.science import Constraint
from agents.testing import Answer, Say
from tests.reasoners.language_model.briefs import brief, protocol

TURN = Answer({"memory": [], "action": {"tool": "measure", "arguments": {"base": "KOAc", "temperature": 90}}})


async def test_what_is_sent_is_what_the_memory_tab_shows(lab):
    async with lab([TURN]) as b:
        await b.reasoner.propose(brief(), b.ears)
        prompt = b.reasoner.prompt(brief())
    sent = b.server.requests[0]["messages"]
    assert [message["content"] for message in sent] == [message.content for message in prompt.messages]
    assert b.ears.usages[0].sections == prompt.sections


async def test_two_identical_briefs_send_identical_bytes(lab):
    async with lab([TURN]) as b:
        await b.reasoner.propose(brief(), b.ears)
        await b.reasoner.propose(brief(), b.ears)
    assert b.server.requests[0] == b.server.requests[1]


async def test_the_layout_is_wide_where_a_repeated_head_is_cheap(lab):
    async with lab([TURN], cache_minimum=1024) as b:
        assert b.reasoner.prompt(brief()).layout == "wide"
    async with lab([TURN]) as b:
        assert b.reasoner.prompt(brief()).layout == "narrow"


async def test_a_prompt_that_cannot_fit_is_not_sent(lab):
    limits = [
        Constraint(id=f"C{i}", text=f"Vessel {i} stays below {i} bar at all times.") for i in range(300)
    ]
    async with lab([TURN], context_tokens=2048) as b:
        with pytest.raises(BadInput, match="'constraints'"):
            await b.reasoner.propose(brief(protocol=protocol(constraints=limits)), b.ears)
    assert b.server.requests == []


async def test_reflecting_costs_no_call(lab):
    async with lab([TURN]) as b:
        assert await b.reasoner.reflect(brief()) == []
    assert b.server.requests == []


async def test_the_conclusion_is_markdown_without_thoughts_and_fence(lab):
    async with lab([Say("<think>Well.</think>```markdown\n# Result\n\nCsOPiv is best (F3).\n```")]) as b:
        text = await b.reasoner.summarise(brief(), b.ears)
    assert text == "# Result\n\nCsOPiv is best (F3)."
    assert b.ears.usages[0].role == "refine"
    assert "F3 (0.7) Claim 3." in b.asked(0)


async def test_an_empty_conclusion_is_asked_for_again_and_then_a_fault(lab):
    async with lab([Say("")]) as b:
        with pytest.raises(ModelFault):
            await b.reasoner.summarise(brief(), b.ears)
    assert b.ears.faults == ["empty"] * 3


async def test_tokens_stream_and_start_anew_with_each_try(lab):
    async with lab([Say("Hm."), TURN]) as b:
        await b.reasoner.propose(brief(), b.ears)
    assert b.ears.heard.startswith("Hm.{")
