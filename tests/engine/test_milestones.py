"""The milestone review: due every so many rounds, put before people item by item, done once, never in the way."""

import pytest

from agents.core.errors import ModelFault
from agents.core.findings import Finding
from agents.core.memory import MILESTONE_TOOLS
from agents.core.ports import ModelUsage
from agents.core.proposal import MemoryOperation
from agents.core.tools import EffectClass
from agents.core.workflow import items_of
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import LOOK, WEIGH, ToyTool, toy_spec
from tests.engine.bench import Bench
from tests.engine.test_crash_walk import Fate, Lost

TOOLS = (
    WEIGH,
    LOOK,
    ToyTool(
        toy_spec("merge_findings", "finding", "other", "reason", effect=EffectClass.LOCAL, may_repeat=True),
        dict,
    ),
    ToyTool(
        toy_spec(
            "distil_rule",
            *("text", "reason", "sources", "runs", "scope"),
            effect=EffectClass.LOCAL,
            may_repeat=True,
        ),
        dict,
    ),
)
TEXTS = ("Mass grows.", "Mass grows with dose.", "It is linear.")
MERGE = MemoryOperation(op="merge", finding="F1", other="F2", reason="They say the same.")
RULE = MemoryOperation(
    op="distil", text="More dose, more mass.", sources=["F1", "F3"], reason="Both show it."
)


def script(brief):
    if brief.round > 9:
        return finish()
    turn = propose("weigh", dose=brief.round)
    added = [MemoryOperation(op="add", text=text) for text in TEXTS] if brief.round == 1 else []
    return turn.model_copy(update={"memory": added})


def bench_of(operations, *, policy: str = "auto", milestones: int = 3, calls_out: bool = False) -> Bench:
    usage = ModelUsage(role="refine", model="strong", prompt_tokens=100) if calls_out else None
    given = {"tidies": operations if callable(operations) else lambda whole: operations, "usage": usage}
    return Bench(script, policy=policy, tools=TOOLS, milestones=milestones, reasoner=given)


def by_id(bench: Bench) -> dict[str, Finding]:
    return dict(bench.book._findings)


async def test_the_memory_is_reviewed_every_so_many_rounds_and_the_run_goes_on():
    bench = bench_of([])
    await bench.drive()
    assert [event["findings"] for event in bench.journal.of("milestone.reviewed")] == [3, 3]
    assert [brief.round for brief in bench.reasoner.briefs] == list(range(1, 11))
    # Nothing to change costs no round: the next proposal is asked for at once.
    assert bench.doses() == list(range(1, 10))


async def test_without_the_setting_nothing_is_reviewed():
    bench = bench_of([MERGE], milestones=0)
    await bench.drive()
    assert bench.reasoner.wholes == []


async def test_its_operations_are_one_review_with_an_item_each_and_nothing_changes_before():
    bench = bench_of([MERGE, RULE], policy="every_step")
    for _ in range(3):
        await bench.drive()
        bench.decide("approve")
    await bench.drive()
    request = bench.gate
    items = items_of_gate(request)
    assert (request.key, [item.tool for item in items]) == ("4/review", list(MILESTONE_TOOLS))
    assert {each.status for each in by_id(bench).values()} == {"active"}

    bench.decide("approve", arguments={"items": [items[0].model_dump(mode="json")]})
    await bench.drive()
    found = by_id(bench)
    assert (found["F2"].status, found["F2"].replaced_by) == ("superseded", "F1")
    assert [each.kind for each in found.values()] == ["finding"] * 3
    assert bench.gate.key == "5/review"


def items_of_gate(request):
    from agents.core.tools import Action

    return items_of(Action.model_validate(request.content["proposal"]["action"]))


async def test_a_veto_leaves_the_memory_as_it_is_and_does_not_ask_again_at_once():
    bench = bench_of([MERGE], policy="every_step")
    for verdict in ("approve", "approve", "approve", "veto"):
        await bench.drive()
        bench.decide(verdict)
    await bench.drive()
    assert {each.status for each in by_id(bench).values()} == {"active"}
    assert (bench.gate.key, bench.gate.content["proposal"]["action"]["tool"]) == ("5/review", "weigh")


@pytest.mark.parametrize(("source", "status"), [("person", "active"), ("policy: auto, rule 1", "unreviewed")])
async def test_only_a_rule_that_a_person_let_through_holds(source, status):
    bench = bench_of([RULE], policy="every_step")
    for _ in range(3):
        await bench.drive()
        bench.decide("approve")
    await bench.drive()
    bench.decide("approve", source=source)
    await bench.drive()
    (rule,) = [each for each in by_id(bench).values() if each.kind == "rule"]
    assert (rule.status, rule.support, [item["finding"] for item in rule.evidence]) == (
        status,
        2,
        ["F1", "F3"],
    )
    told = await bench.book.rules()
    assert [each.text for each in told] == ([RULE.text] if status == "active" else [])


async def test_what_does_not_pass_the_gate_is_told_and_the_rest_goes_on():
    bench = bench_of([RULE, MemoryOperation(op="support", finding="F1", reason="no operation of this kind")])
    await bench.drive()
    (event, *_) = bench.journal.of("milestone.reviewed")
    assert (event["proposed"], event["refused"]) == (
        1,
        ["support: a milestone review does not support a finding"],
    )


async def test_a_model_that_cannot_say_does_not_stop_the_run():
    def fails(whole):
        raise ModelFault("no usable answer", [])

    bench = bench_of(fails, calls_out=True)
    await bench.drive()
    assert bench.journal.of("milestone.reviewed")[0]["problem"] == "no usable answer"
    assert bench.doses() == list(range(1, 10))


async def test_its_call_is_paid_and_its_tools_are_shown_to_no_ordinary_round():
    bench = bench_of([], calls_out=True)
    await bench.drive()
    spent = bench.journal.state["spent"]
    assert spent["calls"] == len(bench.reasoner.briefs) + len(bench.reasoner.wholes) == 12
    for brief in bench.reasoner.briefs:
        assert not {spec.name for spec in brief.tools} & set(MILESTONE_TOOLS)


async def test_it_is_no_idle_step():
    bench = bench_of([MERGE], milestones=1)
    await bench.drive()
    assert not [event for event in bench.journal.of("guard.tripped") if event["guard"] == "step_limit"]
    state = await bench.state()
    assert state["idle_steps"] == 0


@pytest.mark.parametrize("is_before", [True, False])
async def test_a_worker_lost_at_any_step_changes_the_memory_once(is_before):
    whole = bench_of([MERGE, RULE], calls_out=True)
    count = Fate()
    count.watch(whole)
    await whole.drive()
    expected = {key: each.model_dump() for key, each in by_id(whole).items()}
    for at in range(1, count.steps + 1, 3):
        bench = bench_of([MERGE, RULE], calls_out=True)
        fate = Fate(at, before=is_before)
        fate.watch(bench)
        try:
            await bench.drive()
        except Lost:
            fate.rest()
            await bench.drive()
        assert {key: each.model_dump() for key, each in by_id(bench).items()} == expected, at


async def test_the_card_says_what_the_findings_say_that_are_named():
    bench = bench_of([MERGE], policy="every_step")
    for _ in range(3):
        await bench.drive()
        bench.decide("approve")
    await bench.drive()
    reason = bench.gate.content["proposal"]["reason"]
    assert reason.splitlines()[1:] == ["F1: Mass grows.", "F2: Mass grows with dose."]
