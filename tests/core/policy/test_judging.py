"""The first rule that surely holds decides; whatever cannot be told goes to people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.gates import GateKind, GateRequest
from agents.core.policy import Facts, PolicyTable, Rule, answer_by_policy, facts_of, judge, parse_clauses
from agents.core.tools import Action

KNOWN = Facts(
    gate=GateKind.PROPOSAL,
    round=4,
    tool="heat",
    arguments={"temperature": 90},
    effect="keyed",
    executor="machine",
    is_reversible=True,
    is_experiment=True,
    risk="low",
    cost=3.0,
    novelty=0.2,
    is_new_hypothesis=False,
    confidence=0.7,
    budget_share=0.5,
    is_first_use=False,
)
ALLOW = Rule(then="allow")


def judged(*rules: Rule, **facts):
    return judge(PolicyTable(rules=list(rules)), KNOWN.model_copy(update=facts))


@pytest.mark.parametrize(
    ("condition", "holds", "fails", "unknown"),
    [
        ({"tool": "heat"}, {}, {"tool": "cool"}, {"tool": ""}),
        (
            {"tool": "heat", "arguments": parse_clauses("temperature > 80")},
            {},
            {"arguments": {"temperature": 20}},
            {"arguments": {"temperature": "?"}},
        ),
        ({"effect": "keyed"}, {}, {"effect": "blind"}, {"effect": None}),
        ({"executor": "machine"}, {}, {"executor": "person"}, {"executor": None}),
        ({"is_reversible": True}, {}, {"is_reversible": False}, {"is_reversible": None}),
        ({"risk": ["low"]}, {}, {"risk": "high"}, {"risk": None}),
        ({"cost_from": 3}, {}, {"cost": 2.9}, {"cost": None}),
        ({"every": 2}, {}, {"round": 5}, None),
        ({"round_to": 4}, {}, {"round": 5}, None),
        ({"novelty_from": 0.2}, {}, {"novelty": 0.1}, {"novelty": None}),
        ({"novelty_from": 0.2}, {}, {"novelty": None, "is_experiment": False}, {"novelty": float("nan")}),
        ({"is_new_hypothesis": False}, {}, {"is_new_hypothesis": True}, {"is_new_hypothesis": None}),
        ({"confidence_below": 0.8}, {}, {"confidence": 0.8}, {"confidence": None}),
        ({"share_from": 0.5}, {}, {"budget_share": 0.49}, {"budget_share": None}),
        ({"share_step": 0.25}, {}, {"asked_share": 0.5}, {"budget_share": None}),
        ({"is_first_use": False}, {}, {"is_first_use": True}, {"is_first_use": None}),
    ],
)
def test_each_condition_holds_fails_or_cannot_be_told(condition, holds, fails, unknown):
    rule = Rule(then="allow", **condition)
    assert judged(rule, **holds).then == "allow"
    missed = judged(rule, **fails)
    assert (missed.then, missed.why) == ("review", "no_rule")
    if unknown is not None:
        # Even with a rule behind it that would let everything through.
        assert judged(rule, ALLOW, **unknown).then == "review"


def test_no_rule_means_review():
    assert judged().why == "no_rule"


def test_the_first_rule_that_holds_decides():
    found = judged(Rule(tool="cool", then="refuse"), Rule(then="second", note="dear"), ALLOW)
    assert (found.then, found.rule, found.note) == ("second", 2, "dear")


@pytest.mark.parametrize("facts", [{"is_known": False}, {"tool": ""}, {"arguments": None}])
def test_an_unknown_tool_or_unreadable_arguments_go_to_a_person(facts):
    assert judged(ALLOW, **facts).then == "review"


def test_a_rule_that_trips_goes_to_a_person():
    broken = Rule.model_construct(**{**Rule(then="allow").model_dump(), "every": 0})
    found = judge(PolicyTable.model_construct(name="x", version=0, rules=[broken, ALLOW]), KNOWN)
    assert (found.then, found.why, found.rule) == ("review", "unreadable", 1)


def test_what_is_forced_is_never_allowed_but_may_be_refused():
    assert judged(ALLOW, is_forced=True).why == "forced"
    assert judged(Rule(then="refuse"), is_forced=True).then == "refuse"
    assert judged(Rule(then="second"), is_forced=True).then == "second"


@pytest.mark.parametrize("kind", [GateKind.RESULT, GateKind.OUTCOME, GateKind.ATTENTION])
def test_what_only_people_know_is_asked_of_them(kind):
    assert judged(ALLOW, Rule(gate="finish", then="allow"), gate=kind).why == "kind"


def test_rules_for_proposals_do_not_end_a_run():
    assert judged(ALLOW, gate=GateKind.FINISH).then == "review"
    assert judged(Rule(gate="finish", then="allow"), gate=GateKind.FINISH).then == "allow"


def test_the_deadline_of_the_rule_goes_before_that_of_the_table():
    table = PolicyTable(
        rules=[Rule(tool="cool"), Rule(deadline_hours=2, on_deadline="veto")], deadline_hours=9
    )
    assert (judge(table, KNOWN).deadline_hours, judge(table, KNOWN).on_deadline) == (2, "veto")
    other = judge(PolicyTable(deadline_hours=9, on_deadline="pause"), KNOWN)
    assert (other.deadline_hours, other.on_deadline) == (9, "pause")


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
)


@given(
    st.dictionaries(
        st.sampled_from(
            ["executor", "is_reversible", "effect", "novelty", "is_experiment", "force_review", "proposal"]
        ),
        JUNK,
    )
)
def test_content_that_is_nonsense_lets_nothing_through(content):
    request = GateRequest(key="k", kind=GateKind.PROPOSAL, round=1, digest="d", content=content)
    found = judge(PolicyTable(rules=[ALLOW]), facts_of(request))
    assert found.asks
    assert answer_by_policy(found, request, at="") is None


def test_each_action_of_a_list_is_judged_and_the_strictest_counts():
    items = [
        Action(tool="heat", arguments={"temperature": 20}),
        Action(tool="heat", arguments={"temperature": 90}),
    ]
    hot = Rule(tool="heat", arguments=parse_clauses("temperature > 80"), then="second")
    assert judged(hot, ALLOW, tool="workflow", items=items).then == "second"
    assert judged(hot, ALLOW, tool="workflow", items=items[:1]).then == "allow"
    cool = [*items, Action(tool="cool", arguments={})]
    assert judged(Rule(tool="cool", then="refuse"), hot, ALLOW, tool="workflow", items=cool).then == "refuse"
    assert judged(Rule(tool="heat", then="allow"), tool="workflow", items=cool).then == "review"


def test_a_list_that_cannot_be_read_goes_to_a_person():
    action = {"tool": "workflow", "arguments": {"items": "all"}}
    content = {"executor": "machine", "proposal": {"action": action, "hypothesis": {"text": "h"}}}
    request = GateRequest(key="k", kind=GateKind.PROPOSAL, round=1, digest="d", content=content)
    assert judge(PolicyTable(rules=[ALLOW]), facts_of(request)).why == "unknown_tool"
