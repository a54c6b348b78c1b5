"""A hypothesis that a person wrote stands until a result speaks against it."""

import pytest

from agents.core.brief import Brief, Step
from agents.core.proposal import Hypothesis
from agents.core.study import StudyProtocol
from agents.core.tools import Action

WRITTEN = Hypothesis(text="Caesium wins.", by="ana", since=3)


def brief(claim: Hypothesis | None, *stances: tuple[int, str]) -> Brief:
    steps = [Step(round=n, action=Action(tool="measure"), outcome="", stance=stance) for n, stance in stances]
    protocol = StudyProtocol(study_id="s", title="t", goal="g")
    return Brief(protocol=protocol, round=9, hypothesis=claim, steps=steps)


@pytest.mark.parametrize(
    "stances",
    [(), ((2, "against"),), ((3, "for"), (4, "inconclusive"))],
)
def test_it_stands(stances):
    assert brief(WRITTEN, *stances).standing == WRITTEN


def test_a_result_against_it_ends_that():
    assert brief(WRITTEN, (3, "for"), (4, "against")).standing is None


def test_a_reasoners_own_never_stands():
    assert brief(Hypothesis(text="Heat helps.")).standing is None
    assert brief(None).standing is None


def test_a_reasoners_own_is_stored_as_before():
    assert Hypothesis(text="Heat helps.").model_dump() == {
        "text": "Heat helps.",
        "refuted_by": "",
        "confidence": None,
    }
