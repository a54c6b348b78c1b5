"""Seeded mutations of a right answer that a model never mends: nothing unsound runs, a person is asked, all is paid."""

import logging

import pytest

from agents.testing import Call, Say
from benchmarks.parts.faults_catalogue import TOOL, turn
from benchmarks.parts.faults_mutations import mutations
from benchmarks.parts.faults_site import Facts, facts_of
from benchmarks.parts.faults_tool import is_sound

pytestmark = pytest.mark.usefixtures("room")


def _misses(facts: Facts) -> list[str]:
    """What a run under a mutated model did that it must not."""
    asked_in_round = facts.asked if facts.status == "waiting" else 0
    found = {
        "ran with unsound arguments": not all(is_sound(line) for line in facts.executed),
        f"failed: {facts.error}": facts.status == "failed",
        "ran twice": len(facts.executed) > 1,
        "asked more than three times": asked_in_round > 3,
        "a call was not charged": facts.asked != facts.charged,
        "waits for nobody": facts.status == "waiting" and facts.gate != "attention",
    }
    return [name for name, is_so in found.items() if is_so]


@pytest.mark.parametrize("reply", mutations(12), ids=range(12))
def test_a_mutated_answer_does_no_harm(reply, caplog):
    with caplog.at_level(logging.ERROR):
        facts = facts_of([reply], rounds=1)
    assert (_misses(facts), caplog.records) == ([], [])


@pytest.mark.soak
@pytest.mark.parametrize("reply", mutations(200), ids=range(200))
def test_two_hundred_mutated_answers_do_no_harm(reply, caplog):
    with caplog.at_level(logging.ERROR):
        facts = facts_of([reply], rounds=1)
    assert (_misses(facts), caplog.records) == ([], [])


@pytest.mark.parametrize("kind", [Say, lambda text: Call(text, name=TOOL)], ids=["text", "call"])
def test_an_answer_nested_deeper_than_python_can_read_is_put_to_a_person(kind):
    deep = "[" * 3000 + "300" + "]" * 3000
    facts = facts_of([kind(turn(f'{{"temperature_k": {deep}, "catalyst": "C1"}}'))])
    assert (facts.status, facts.gate, facts.executed) == ("waiting", "attention", [])
