"""Every limit: a word in time, an end when it is reached, and a change that counts at once."""

import pytest

from agents.core.budget import Budget, Spent, exhausted
from agents.core.errors import ModelFault
from agents.core.ports import ModelUsage
from agents.core.tools import ToolResult
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import LOOK, WEIGH, ToyTool
from tests.engine.bench import Bench

FREE = {"rounds": None, "experiments": None, "tokens": None}
CALL = ModelUsage(role="reason", model="m", prompt_tokens=80, completion_tokens=20, money=0.5, seconds=2.0)
LIMITS = {
    "rounds": {"rounds": 10},
    "experiments": {"experiments": 10},
    "tokens": {"tokens": 1000},
    "money": {"money": 5.0},
    "seconds": {"seconds": 20.0},
}
"""Each is reached by the tenth round of a run whose rounds cost one call and one experiment."""


def rising(brief):
    return propose("weigh", dose=brief.round)


@pytest.mark.parametrize("name", LIMITS)
async def test_a_limit_warns_at_four_fifths_and_then_ends_the_run(name):
    bench = Bench(rising, budget=Budget(**{**FREE, **LIMITS[name]}), reasoner={"usage": CALL})
    driven = await bench.drive()
    assert (driven.status, driven.outcome) == ("finished", f"budget used up: {name}")
    assert bench.doses() == list(range(1, 11))
    assert next(event.round for event in bench.journal.events if event.kind == "budget.warned") == 8
    assert len(bench.reasoner.briefs) == 10
    assert bench.journal.of("budget.exhausted") == [{"limits": [name]}]


@pytest.mark.parametrize("name", LIMITS)
async def test_a_lower_limit_counts_in_the_middle_of_a_drive(name):
    half = {**FREE, name: LIMITS[name][name] / 2 if name in ("money", "seconds") else LIMITS[name][name] // 2}

    def script(brief):
        if brief.round == 3:
            bench.journal.append("budget.changed", {"budget": half, "by": "ana"})
        return rising(brief)

    bench = Bench(script, budget=Budget(**{**FREE, **LIMITS[name]}), reasoner={"usage": CALL})
    driven = await bench.drive()
    assert driven.outcome == f"budget used up: {name}"
    assert bench.doses() == [1, 2, 3, 4, 5]


async def test_a_higher_limit_counts_in_the_middle_of_a_drive_too():
    def script(brief):
        if brief.round == 3:
            bench.journal.append("budget.changed", {"budget": {**FREE, "rounds": 6}, "by": "ana"})
        return rising(brief)

    bench = Bench(script, budget=Budget(**{**FREE, "rounds": 4}))
    await bench.drive()
    assert bench.doses() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_of_zero_or_none_is_what_it_says(name):
    spent = Spent(**{name: 1_000_000})
    assert exhausted(
        Budget.model_construct(**{**FREE, "money": None, "seconds": None, name: 0}), Spent()
    ) == [name]
    assert exhausted(Budget(**{**FREE, "money": None, "seconds": None}), spent) == []


def dear(tool: ToyTool, cost: float, bench: Bench) -> None:
    """Give ``tool`` a price."""
    bench.toolbox._tools[tool.spec.name] = ToyTool(tool.spec.model_copy(update={"cost": cost}), tool.run)
    call = bench.toolbox.call

    async def priced(action, **given) -> ToolResult:
        result = await call(action, **given)
        return result.model_copy(update={"cost": cost if action.tool == tool.spec.name else 0.0})

    bench.toolbox.call = priced


async def test_what_tools_cost_is_paid_from_the_money_and_never_more_than_there_is():
    bench = Bench(rising, budget=Budget(**{**FREE, "money": 10.0}))
    dear(WEIGH, 3.0, bench)
    driven = await bench.drive()
    assert (driven.outcome, bench.doses()) == ("budget used up: money", [1, 2, 3])
    assert (await bench.journal.spent()).money == 9.0


async def test_a_tool_that_is_too_dear_is_refused_with_what_is_left():
    turns = [propose("look", page=1), propose("weigh", dose=1), finish()]
    bench = Bench(turns, budget=Budget(**{**FREE, "money": 2.0}))
    dear(LOOK, 3.0, bench)
    await bench.drive()
    assert "Look costs 3 and 2 of the money is left" in bench.reasoner.briefs[1].refusals[0]
    assert [action.tool for action, _ in bench.toolbox.calls] == ["weigh"]


async def test_a_round_in_which_nothing_could_be_proposed_is_given_back_but_not_what_it_cost():
    """Five failures of the endpoint leave the rounds of the budget whole; the calls stay on the bill."""
    failing = [ModelFault("Nothing answers at the model's address.")] * 5
    bench = Bench(
        [*failing, propose("weigh", dose=5), finish()], budget=Budget(rounds=3), reasoner={"usage": CALL}
    )
    for number in range(1, 6):
        assert (await bench.drive()).gate == f"{number}/attention"
        assert bench.journal.state["spent"]["rounds"] == 0
        bench.decide("retry")
    assert (await bench.drive()).status == "finished"
    assert bench.journal.state["spent"]["rounds"] == 2
    told = {"problem": "Nothing answers at the model's address."}
    assert bench.journal.of("round.failed") == [told] * 5


async def test_tokens_that_no_server_reported_are_marked():
    guess = CALL.model_copy(update={"estimated": True})
    bench = Bench([propose("weigh", dose=5), finish()], reasoner={"usage": guess})
    await bench.drive()
    spent = bench.journal.state["spent"]
    assert spent["estimated_tokens"] == spent["tokens"] == 200
