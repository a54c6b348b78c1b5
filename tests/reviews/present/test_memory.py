"""The prompt of the next step as the Memory tab shows it, from rows alone."""

import pytest

from agents.models import Finding, Run
from agents.services import give_guidance
from reviews.present.memory import next_brief, next_prompt
from tests.support import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(monkeypatch):
    from agents import wiring
    from agents.testing.toolbox import ToyToolbox

    monkeypatch.setattr(wiring, "toolbox_for", lambda protocol: ToyToolbox())
    run = make_run()
    state = {
        "hypothesis": {"text": "more is better", "refuted_by": "", "confidence": 0.5, "version": 2, "for": 1},
        "steps": [
            {"round": n, "action": {"tool": "weigh", "arguments": {"dose": n}}, "outcome": "1 g"}
            for n in range(7)
        ],
    }
    Run.objects.filter(pk=run.pk).update(state=state, round=7)
    run.refresh_from_db()
    return run


def test_the_brief_is_the_runs_memory_and_no_more(run):
    Finding.objects.create(study=run.study, run=run, number=1, text="heavier with dose")
    give_guidance(run.pk, text="stay below 5 mg", by="ana")
    brief = next_brief(run)
    assert (brief.round, brief.hypothesis.text) == (8, "more is better")
    assert [step.round for step in brief.steps] == [2, 3, 4, 5, 6]
    assert [finding.text for finding in brief.findings] == ["heavier with dose"]
    assert [guidance.text for guidance in brief.guidance] == ["stay below 5 mg"]


def test_the_sections_are_those_of_the_prompt(run):
    parts = next_prompt(run)
    assert "more is better" in "".join(part.text for part in parts)
    assert all(part.tokens > 0 for part in parts if part.text)


def test_a_prompt_that_cannot_be_packed_is_simply_not_shown(run, monkeypatch):
    from agents.core.errors import BadInput
    from agents.reasoners.language_model import packing

    def refuse(brief, **more):
        raise BadInput("too long")

    monkeypatch.setattr(packing, "pack", refuse)
    assert next_prompt(run) == ()
