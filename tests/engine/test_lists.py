"""Lists through the engine: each item once, side by side where declared, filed each, asked about each."""

import asyncio

import pytest

from agents.core.budget import Budget
from agents.core.gates import GateKind
from agents.core.tools import Action, EffectClass
from agents.core.workflow import Item, workflow_of
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import LOOK, ToyTool, toy_spec
from tests.engine.bench import Bench


class Lost(BaseException):
    """The worker is gone."""


def several(*items: tuple[str, dict]) -> Action:
    return workflow_of(Item(step=n, tool=t, arguments=a) for n, (t, a) in enumerate(items, start=1))


def proposed(*items: tuple[str, dict]):
    turn = propose("look", page=1)
    return turn.model_copy(update={"proposal": turn.proposal.model_copy(update={"action": several(*items)})})


def toy(name: str, run, **given) -> ToyTool:
    return ToyTool(toy_spec(name, "x", **{"effect": EffectClass.LOCAL, **given}), run)


async def test_a_step_gets_what_an_earlier_one_gave_and_every_step_has_its_own_effect():
    bench = Bench([proposed(("double", {"x": 4}), ("double", {"x": "$1.y"})), finish()],
                  tools=[toy("double", lambda a: {"y": 2 * a["x"]})])  # fmt: skip
    await bench.drive()
    assert [call.arguments["x"] for call, _ in bench.toolbox.calls] == [4, 8]
    keys = [event["key"] for event in bench.journal.of("effect.finished") if "/act/" in event["key"]]
    assert keys == ["1/act/1/double", "1/act/2/double"]
    steps = bench.reasoner.briefs[1].observation["data"]["steps"]
    assert [entry["data"] for entry in steps] == [{"y": 8}, {"y": 16}]


async def test_every_experiment_of_a_batch_is_filed_and_judged():
    bench = Bench([proposed(("weigh", {"dose": 1}), ("weigh", {"dose": 2}), ("look", {"page": 1})), finish()])
    await bench.drive()
    assert [row.planned["dose"] for row in await bench.ledger.rows()] == [1, 2]
    assert len(bench.journal.of("evidence.filed")) == 2
    assert bench.journal.state["spent"]["experiments"] == 2
    assert "1 mass 0.1 g; 2 mass 0.2 g" in bench.journal.of("round.completed")[0]["outcome"]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([("weigh", {"dose": 1}), ("weigh", {"dose": 1})], "Step 2: The same conditions stand in this list"),
        ([("weigh", {"dose": 1}), ("weigh", {"dose": 200_000})], "Step 2: "),
        ([("weigh", {"dose": n}) for n in range(1, 5)], "Step 4: The budget has no experiment left"),
    ],
)
async def test_the_ledger_gate_judges_a_batch_as_a_whole(items, said):
    bench = Bench([proposed(*items), finish()], budget=Budget(experiments=3))
    await bench.drive()
    assert bench.journal.of("proposal.refused")[0]["problems"][0].startswith(said)
    assert not bench.toolbox.calls


async def test_the_cost_of_the_whole_list_is_held_against_the_money_that_is_left():
    dear = toy("dear", lambda a: {"y": 1}, cost=4.0)
    bench = Bench([proposed(("dear", {"x": 1}), ("dear", {"x": 2})), finish()], tools=[dear, LOOK],
                  budget=Budget(money=7.0))  # fmt: skip
    await bench.drive()
    assert bench.journal.of("proposal.refused")[0]["problems"] == [
        "List of 2 actions costs 8 and 7 of the money is left. Propose something cheaper, or finish."
    ]


async def test_a_step_whose_source_failed_is_not_run_and_says_so():
    def broken(arguments):
        raise KeyError("flask")

    bench = Bench(
        [proposed(("broken", {"x": 1}), ("double", {"x": "$1.y"}), ("double", {"x": 3})), finish()],
        tools=[toy("broken", broken), toy("double", lambda a: {"y": 2 * a["x"]})],
    )
    await bench.drive()
    assert [call.tool for call, _ in bench.toolbox.calls] == ["broken", "double"]
    observation = bench.reasoner.briefs[1].observation
    assert observation["success"]
    entries = observation["data"]["steps"]
    assert [entry["success"] for entry in entries] == [False, False, True]
    assert "not run: it uses step 1" in entries[1]["error_message"]


@pytest.mark.parametrize(("is_safe", "most"), [(True, 3), (False, 1)])
async def test_calls_run_beside_each_other_only_where_that_is_declared(is_safe, most):
    running, seen = [0], []
    bench = Bench([proposed(*(("slow", {"x": n}) for n in range(3))), finish()],
                  tools=[toy("slow", lambda a: {"y": 1}, parallel_safe=is_safe)])  # fmt: skip
    call = bench.toolbox.call

    async def watched(action, **given):
        running[0] += 1
        seen.append(running[0])
        await asyncio.sleep(0.01)
        running[0] -= 1
        return await call(action, **given)

    bench.toolbox.call = watched
    await bench.drive()
    assert max(seen) == most


async def test_a_killed_list_goes_on_with_what_is_missing():
    seen = []

    def run(arguments):
        seen.append(arguments["x"])
        if seen == [1, 2]:
            raise Lost()
        return {"y": 1}

    bench = Bench([proposed(*(("do", {"x": n}) for n in (1, 2, 3))), finish()], tools=[toy("do", run)])
    with pytest.raises(Lost):
        await bench.drive()
    await bench.drive()
    assert seen == [1, 2, 2, 3]


async def at_unknown_item(seen: list) -> Bench:
    def fire(arguments):
        seen.append(arguments["x"])
        if seen == [1, 2]:
            raise Lost()
        return {"y": arguments["x"]}

    bench = Bench([proposed(*(("fire", {"x": n}) for n in (1, 2, 3))), finish()],
                  tools=[toy("fire", fire, effect=EffectClass.BLIND)])  # fmt: skip
    with pytest.raises(Lost):
        await bench.drive()
    assert (await bench.drive()).gate == "1/outcome/2/1"
    assert (bench.gate.kind, bench.gate.content["action"]["arguments"]) == (GateKind.OUTCOME, {"x": 2})
    return bench


@pytest.mark.parametrize(
    ("verdict", "result", "wanted"),
    [("answer", {"y": 9}, [1, 2, 3]), ("not_happened", {}, [1, 2, 3]), ("retry", {}, [1, 2, 2, 3])],
)
async def test_an_item_that_may_have_happened_stops_the_list_until_a_person_says_what_happened(
    verdict, result, wanted
):
    seen: list = []
    bench = await at_unknown_item(seen)
    bench.decide(verdict, result=result)
    await bench.drive()
    assert seen == wanted
    entries = bench.reasoner.briefs[1].observation["data"]["steps"]
    assert [entry["success"] for entry in entries] == [True, verdict != "not_happened", True]
    if verdict == "answer":
        assert entries[1]["data"] == {"y": 9}


async def test_a_tool_that_needs_review_is_shown_whatever_the_policy_says():
    bench = Bench([propose("odd", x=1), finish()], tools=[toy("odd", lambda a: {"y": 1}, needs_review=True)])
    assert (await bench.drive()).gate == "1/review"


async def test_a_passing_fault_is_tried_again_as_often_as_declared():
    bench = Bench([propose("odd", x=1), finish()], tools=[toy("odd", lambda a: {"y": 1}, retries=4)])
    call = bench.toolbox.call

    async def failing(action, **given):
        result = await call(action, **given)
        return result.model_copy(update={"success": False, "fault": "transient", "error_message": "gone"})

    bench.toolbox.call = failing
    await bench.drive()
    assert len(bench.toolbox.calls) == 5


async def test_a_blind_call_that_was_never_started_is_tried_again_without_asking():
    bench = Bench([propose("fire", x=1), finish()],
                  tools=[toy("fire", lambda a: {"y": 1}, effect=EffectClass.BLIND)])  # fmt: skip
    call, tried = bench.toolbox.call, []

    async def resting(action, **given):
        tried.append(action)
        result = await call(action, **given)
        if len(tried) > 1:
            return result
        off = {"success": False, "fault": "transient", "error_message": "resting", "started": False}
        return result.model_copy(update=off)

    bench.toolbox.call = resting
    await bench.drive()
    assert not bench.journal.open_gates()
    assert len(tried) == 2
