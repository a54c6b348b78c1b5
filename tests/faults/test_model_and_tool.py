"""Every fault of a model, its server and a tool through the whole engine: mended, asked again or put to a person."""

import pytest

from agents.testing import Say
from benchmarks.parts.faults_catalogue import FAULTS, TEXT, Fault, turn
from benchmarks.parts.faults_ours import SUMMARY, is_told, run_ours, verdict
from benchmarks.parts.faults_site import facts_of
from benchmarks.parts.faults_verdicts import ASKS, RECOVERS

pytestmark = pytest.mark.usefixtures("room")

QUICK = (
    "trailing comma",
    "NaN for a float",
    "'abc' for an integer",
    "truncated",
    "tool raises",
    "tool returns 400,000 characters",
    "done before any step",
    "final answer contradicts the result",
    "the same action for ever",
    "half-closed connection",
    "duplicate keys",
    "unknown tool",
    "NaN for ever",
)
"""One of each kind; `make soak` and the benchmark run them all."""
BY_NAME = {fault.name: fault for fault in reversed(FAULTS)}
ASKED = {"tool raises", "tool hangs", "tool returns NaN", "the same action for ever"}


def _expected(fault: Fault) -> str:
    return ASKS if fault.name in ASKED or fault.name.endswith("for ever") else RECOVERS


@pytest.mark.parametrize("name", QUICK)
def test_a_fault_is_mended_or_put_to_a_person_and_can_be_read(name):
    fault = BY_NAME[name]
    facts = run_ours(fault)
    assert (verdict(fault, facts), is_told(fault, facts)) == (_expected(fault), True)


@pytest.mark.soak
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.group}: {fault.name}")
def test_every_fault_in_daybooks_own_form(fault):
    facts = run_ours(fault)
    assert (verdict(fault, facts), is_told(fault, facts)) == (_expected(fault), True)


@pytest.mark.soak
@pytest.mark.parametrize("fault", [f for f in FAULTS if f.wire], ids=lambda fault: fault.name)
def test_every_fault_as_the_tool_call_that_an_agent_gets(fault):
    facts = run_ours(fault, wire=True)
    assert (verdict(fault, facts), is_told(fault, facts)) == (_expected(fault), True)


def test_every_call_of_the_model_is_charged():
    facts = run_ours(BY_NAME["NaN for ever"])
    assert (facts.asked, facts.charged) == (3, 3)


def test_an_answer_that_no_result_gives_is_refused_in_words():
    facts = run_ours(BY_NAME["final answer contradicts the result"])
    assert any("The answer says 99.9 %" in sentence for sentence in facts.said)
    assert facts.answer == "The yield at 300 K with C1 was 10.0 %."


def test_a_long_result_of_a_tool_is_kept_as_a_file():
    facts = run_ours(BY_NAME["tool returns 400,000 characters"])
    assert any("artifact" in sentence for sentence in facts.said)


def test_in_the_last_round_that_the_budget_allows_the_answer_is_used():
    facts = facts_of([Say(turn("{}", tool="launch_rocket")), Say(TEXT), SUMMARY], rounds=1)
    assert (facts.status, len(facts.executed), facts.asked) == ("succeeded", 1, 3)


def test_an_answer_that_used_up_the_tokens_is_used_since_it_is_paid():
    facts = facts_of([Say(TEXT), SUMMARY], tokens=1)
    assert (facts.status, len(facts.executed)) == ("succeeded", 1)


def test_without_tokens_no_conclusion_is_bought():
    facts = facts_of([Say(TEXT), SUMMARY], tokens=1)
    assert (facts.asked, facts.charged) == (1, 1)


def test_without_tokens_a_bad_answer_is_not_asked_for_again():
    facts = facts_of([Say("prose"), Say(TEXT)], tokens=1)
    assert (facts.status, facts.asked, facts.executed) == ("succeeded", 1, [])
