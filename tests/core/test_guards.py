"""Loop control over the last few steps."""

import pytest

from agents.core.brief import Step
from agents.core.guards import is_near, trips
from agents.core.tools import Action, ToolSpec

LOOK = ToolSpec(name="look")
READ = ToolSpec(name="read")
WEIGH = ToolSpec(name="weigh", is_experiment=True)


def steps(*actions: tuple, outcome: str = "seen") -> list[Step]:
    return [
        Step(round=number, action=Action(tool=tool, arguments=arguments), outcome=outcome)
        for number, (tool, arguments) in enumerate(actions, start=1)
    ]


def learning(*actions: tuple) -> list[Step]:
    """Steps that each gave something else."""
    return [step.model_copy(update={"outcome": f"seen {step.round}"}) for step in steps(*actions)]


def names(
    spec: ToolSpec, before: list[Step], *, idle: int = 0, limit: int | None = 8, **arguments
) -> list[str]:
    action = Action(tool=spec.name, arguments=arguments)
    return [trip.guard for trip in trips(action, spec, before, idle_steps=idle, limit=limit)]


def test_a_fresh_action_trips_nothing():
    assert names(LOOK, steps(("read", {"page": 1})), page=2) == []


def test_the_same_tool_a_third_time_in_a_row():
    before = steps(("look", {"page": 1}), ("look", {"page": 20}))
    assert names(LOOK, before, page=300) == ["tool_repeat"]
    assert names(LOOK.model_copy(update={"may_repeat": True}), before, page=300) == []
    assert names(READ, before, page=300) == []


def test_an_action_that_was_done_before():
    before = learning(("look", {"page": 1}), ("read", {"page": 7}), ("read", {"page": 9}))
    assert names(LOOK, before, page=1) == ["cycle_exact"]


def test_an_action_that_is_nearly_one_that_was_done():
    before = steps(("look", {"page": 100.0, "text": "Effect of heat"}), ("read", {"page": 7}))
    assert names(LOOK, before, page=100.5, text="effect of heat.") == ["cycle_near"]


def test_what_failed_may_be_tried_in_other_words():
    before = steps(("look", {"text": "effect of heat"}), outcome="failed: no page")
    assert names(LOOK, before, text="effects of heat") == []


def test_a_cycle_is_seen_over_five_steps():
    before = learning(("look", {"page": 1}), *[("read", {"page": n * 10}) for n in range(1, 6)])
    assert names(LOOK, before, page=1) == []
    assert names(LOOK, before[:-1], page=1) == ["cycle_exact"]


@pytest.mark.parametrize(("idle", "expected"), [(7, []), (8, ["step_limit"])])
def test_eight_steps_without_an_experiment(idle, expected):
    assert names(LOOK, [], idle=idle, page=1) == expected


@pytest.mark.parametrize(("limit", "expected"), [(3, ["step_limit"]), (20, []), (None, [])])
def test_the_limit_of_steps_is_the_runs_own(limit, expected):
    assert names(LOOK, [], idle=8, limit=limit, page=1) == expected


@pytest.mark.parametrize(("times", "expected"), [(2, []), (3, ["no_progress"])])
def test_different_steps_that_all_give_the_same_lead_nowhere(times, expected):
    before = steps(*[(f"tool_{n}", {"page": n}) for n in range(times)])
    assert names(LOOK, before, page=99) == expected
    assert names(LOOK, learning(*[(f"tool_{n}", {"page": n}) for n in range(times)]), page=99) == []
    assert names(WEIGH, before, dose=99) == []


def test_experiments_are_left_to_the_ledger():
    before = steps(*[("weigh", {"dose": 1})] * 3)
    assert names(WEIGH, before, idle=99, dose=1) == []


@pytest.mark.parametrize(("failures", "expected"), [(2, []), (3, ["no_progress"])])
def test_three_failures_in_a_row(failures, expected):
    before = steps(*[("weigh", {"dose": n}) for n in range(failures)], outcome="failed: stuck")
    assert names(WEIGH, before, dose=99) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"n": 100}, {"n": 101}, True),
        ({"n": 100}, {"n": 102}, False),
        ({"n": 0}, {"n": 0}, True),
        ({"t": "abc"}, {"t": "xyz"}, False),
        ({"t": "effect of heat"}, {"t": "Effect of heat."}, True),
        ({"t": "heat of effect, later"}, {"t": "effect of later heat,"}, False),
        ({"t": ""}, {"t": ""}, True),
        ({"t": ""}, {"t": "a"}, False),
        ({"l": [1, 2]}, {"l": [1, 2]}, True),
        ({"n": 1}, {"m": 1}, False),
        ({}, {}, False),
    ],
)
def test_near(left, right, expected):
    assert is_near(Action(tool="look", arguments=left), Action(tool="look", arguments=right)) is expected


def test_another_tool_is_never_near():
    assert not is_near(Action(tool="look", arguments={"n": 1}), Action(tool="read", arguments={"n": 1}))
