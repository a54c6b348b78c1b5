"""A tool that times out: what answers in its place is marked wherever people look, and nothing unapproved runs."""

import pytest

from agents.core.tools import EffectClass, may_stand_in
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import WEIGH, ToyTool, toy_spec
from tests.engine.bench import Bench

LOOKUP = toy_spec("lookup", "page", effect=EffectClass.LOCAL, cacheable=True)
TABLE = ToyTool(toy_spec("table", "page", effect=EffectClass.LOCAL), lambda arguments: {"text": "by table"})


def bench_with(*turns, lookup=LOOKUP, table=TABLE, fault="timeout", times=99, **given) -> Bench:
    """Return a bench whose ``lookup`` fails with ``fault`` after its first ``good`` calls."""
    good, calls = given.pop("good", 0), []
    bench = Bench(
        [*turns, finish()],
        tools=[ToyTool(lookup, lambda arguments: {"text": "by lookup"}), table, WEIGH],
        **given,
    )
    call = bench.toolbox.call

    async def failing(action, **more):
        result = await call(action, **more)
        if action.tool != lookup.name:
            return result
        calls.append(action)
        if len(calls) <= good:
            return result
        message = "no answer within 30 s"
        return result.model_copy(
            update={"success": False, "fault": fault, "error_message": message, "data": {}}
        )

    bench.toolbox.call = failing
    bench.lookups = calls
    return bench


def with_fallback(**changes):
    return LOOKUP.model_copy(update={"fallback": "table", "cacheable": False, **changes})


def outcome(bench: Bench, number: int = 0) -> str:
    return bench.journal.of("round.completed")[number]["outcome"]


async def test_the_declared_tool_answers_at_once_and_is_marked():
    bench = bench_with(propose("lookup", page=1), lookup=with_fallback())
    await bench.drive()
    told = "Lookup timed out (no answer within 30 s); Table answered instead"
    assert outcome(bench).endswith(f"[{told}]")
    assert bench.journal.of("effect.substituted") == [
        {"tool": "lookup", "substitute": "fallback", "by": "table", "told": told}
    ]
    assert [len(bench.lookups), bench.pauses] == [1, []]
    seen = bench.reasoner.briefs[1].observation
    assert (seen["substitute"], seen["data"]) == ("fallback", {"text": "by table"})
    assert told in bench.reasoner.briefs[1].steps[0].outcome


async def test_an_earlier_result_of_the_same_arguments_comes_first():
    again = propose("lookup", page=1)
    others = [propose("weigh", dose=dose) for dose in range(1, 6)]
    bench = bench_with(again, *others, again, lookup=with_fallback(cacheable=True), good=1)
    await bench.drive()
    (mark,) = bench.journal.of("effect.substituted")
    assert (mark["substitute"], mark["by"]) == ("cached", "lookup")
    assert "its result of 2026-01-02 03:04 UTC for the same arguments" in mark["told"]


async def test_without_a_substitute_it_is_tried_again_and_then_failed():
    bench = bench_with(propose("lookup", page=1))
    await bench.drive()
    assert outcome(bench).startswith("failed: no answer within 30 s")
    assert (len(bench.lookups), len(bench.pauses)) == (3, 2)


@pytest.mark.parametrize("fault", ["transient", "unknown", "bad_input"])
async def test_only_a_timeout_is_answered_by_another(fault):
    bench = bench_with(propose("lookup", page=1), lookup=with_fallback(), fault=fault)
    await bench.drive()
    assert bench.journal.of("effect.substituted") == []


async def test_a_blind_tool_is_asked_about_and_nothing_stands_in():
    bench = bench_with(propose("lookup", page=1), lookup=with_fallback(effect=EffectClass.BLIND))
    assert (await bench.drive()).gate == "1/outcome/1"
    assert [action.tool for action, _ in bench.toolbox.calls] == ["lookup"]


@pytest.mark.parametrize(
    "changes",
    [
        {"effect": EffectClass.BLIND},
        {"effect": EffectClass.KEYED},
        {"executor": "person"},
        {"risk": "medium"},
        {"cost": 1.0},
        {"needs_review": True},
        {"is_experiment": True},
    ],
)
async def test_what_would_need_an_approval_does_not_stand_in(changes):
    table = ToyTool(TABLE.spec.model_copy(update=changes), TABLE.run)
    assert may_stand_in(table.spec, with_fallback())
    bench = bench_with(propose("lookup", page=1), lookup=with_fallback(), table=table)
    await bench.drive()
    assert bench.journal.of("effect.substituted") == []
    assert "table" not in {action.tool for action, _ in bench.toolbox.calls}


async def test_a_fallback_that_fails_too_leaves_the_fault():
    def broken(arguments):
        raise ValueError("the table is gone")

    bench = bench_with(propose("lookup", page=1), lookup=with_fallback(), table=ToyTool(TABLE.spec, broken))
    await bench.drive()
    assert outcome(bench).startswith("failed: no answer within 30 s")


async def test_a_measurement_by_another_tool_says_so_in_the_ledger():
    slow = toy_spec("lookup", "dose", effect=EffectClass.LOCAL, is_experiment=True, fallback="model")
    model = ToyTool(
        toy_spec("model", "dose", effect=EffectClass.LOCAL, is_experiment=True),
        lambda arguments: {"mass": 0.7},
    )
    bench = bench_with(propose("lookup", dose=5), lookup=slow, table=model, experiment_tool="lookup")
    await bench.drive()
    (row,) = await bench.ledger.rows()
    assert row.measurements[0].value == 0.7
    assert "Model answered instead" in row.note
    assert "Model answered instead" in outcome(bench)


async def test_a_measurement_is_never_taken_from_an_earlier_one():
    weigh = WEIGH.spec.model_copy(update={"name": "lookup", "cacheable": True})
    replicate = propose("lookup", dose=5, is_replicate=True)
    bench = bench_with(propose("lookup", dose=5), replicate, lookup=weigh, good=1)
    bench.toolbox._tools["lookup"] = ToyTool(weigh, WEIGH.run)
    await bench.drive()
    assert bench.journal.of("effect.substituted") == []


async def test_the_card_says_beforehand_what_would_answer():
    bench = bench_with(propose("lookup", page=1), lookup=with_fallback(), policy="every_step")
    await bench.drive()
    assert (bench.gate.content["fallback"], bench.gate.content["timeout_s"]) == ("Table", 30.0)
