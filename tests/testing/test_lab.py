"""The scripted scientist reads real prompts and runs a study to its end."""

import pytest

from agents.adapters.openai.endpoint import forget_endpoints
from agents.adapters.openai.settings import ModelSettings
from agents.adapters.openai_chat import ChatModel
from agents.core.brief import Step
from agents.core.constraints import outside_space
from agents.core.digest import Page, ParsedDocument
from agents.core.measurement import Experiment, Measurement
from agents.reasoners.language_model.reasoner import LanguageModelReasoner
from agents.testing import ModelServer
from agents.testing.lab import ENOUGH, scientist
from tests.reasoners.language_model.briefs import SPACE, brief
from tests.reasoners.language_model.conftest import Ears


@pytest.fixture
async def reasoner():
    forget_endpoints()
    with ModelServer(scientist) as server:
        model = ChatModel(ModelSettings(base_url=server.base_url, models={"reason": "scripted"}))
        yield LanguageModelReasoner(model)
        await model.aclose()
    forget_endpoints()


async def test_it_measures_legal_conditions_until_it_has_enough_and_finishes(reasoner):
    rows, steps = [], []
    for round in range(1, ENOUGH + 2):
        state = brief(0, round=round, experiments=rows, steps=steps[-5:], observation=None)
        turn = await reasoner.propose(state, Ears())
        if turn.finish:
            break
        conditions = turn.proposal.action.arguments
        assert outside_space(conditions, SPACE) == []
        value = conditions["temperature"] - 60 + 20 * (conditions["base"] == "CsOPiv")
        rows.append(
            Experiment(
                id=f"e{round}",
                planned=conditions,
                round=round,
                measurements=[Measurement(objective="yield", value=value, unit="%")],
            )
        )
        steps.append(Step(round=round, action=turn.proposal.action, outcome=f"yield {value:g} %"))
    assert len(rows) == ENOUGH
    assert turn.finish.answer.startswith("The best seen is yield %")
    assert len({str(row.planned) for row in rows}) >= ENOUGH - 2


async def test_it_files_what_it_saw(reasoner):
    turn = await reasoner.propose(brief(3), Ears())
    assert [(op.op, op.text, op.evidence) for op in turn.memory] == [
        ("add", "base CsOPiv, temperature 63 gave yield 3.25 %.", [3])
    ]
    assert turn.proposal.prediction.mean == 3.25


async def test_a_refusal_leads_to_something_else(reasoner):
    first = await reasoner.propose(brief(3), Ears())
    second = await reasoner.propose(brief(3, refusals=["This was measured before."]), Ears())
    assert first.proposal.action != second.proposal.action


async def test_its_digest_quotes_the_pages(reasoner):
    page = Page(
        number=1, text="The aim is a high yield.\nThe temperature must not exceed 120 °C.\nRun 1 gave 57.4 %."
    )
    document = ParsedDocument(name="p.txt", media_type="text/plain", pages=[page])
    digest = await reasoner.digest(document, document_id="d", goal="", listener=Ears())
    assert [(item.kind, item.source.verified) for item in digest.items] == [
        ("goal", True),
        ("constraint", True),
        ("result", True),
    ]


async def test_its_conclusion_names_the_best(reasoner):
    text = await reasoner.summarise(brief(6), Ears())
    assert "The best condition seen: yield 6.25 at base KOAc, temperature 66." in text
