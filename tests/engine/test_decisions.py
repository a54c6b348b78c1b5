"""What each answer of a person does to the run."""

import pytest

from agents.core.budget import Budget
from agents.core.errors import Refused, Stopped
from agents.core.gates import Answer, GateKind
from agents.core.proposal import Hypothesis
from agents.core.tools import Action
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import WEIGH, ToyTool
from tests.engine.bench import Bench


def rising(brief):
    return propose("weigh", dose=brief.round)


async def waiting(**given) -> Bench:
    """Return a run that waits at its first review."""
    bench = Bench(given.pop("script", rising), policy="every_step", **given)
    driven = await bench.drive()
    assert (driven.status, driven.gate) == ("waiting", "1/review")
    return bench


async def test_nothing_is_done_before_the_answer():
    bench = await waiting()
    assert bench.toolbox.calls == []
    assert bench.gate.kind is GateKind.PROPOSAL


async def test_driving_a_waiting_run_again_asks_nothing_twice():
    bench = await waiting()
    for _ in range(3):
        assert (await bench.drive()).status == "waiting"
    assert len(bench.reasoner.briefs) == 1
    assert bench.journal.kinds().count("review.opened") == 1


async def test_approve_does_what_was_shown():
    bench = await waiting()
    bench.decide("approve")
    assert (await bench.drive()).gate == "2/review"
    assert bench.doses() == [1]


async def test_edit_does_what_the_person_wrote():
    bench = await waiting()
    bench.decide("edit", arguments={"dose": 7})
    await bench.drive()
    assert bench.doses() == [7]
    assert bench.journal.of("round.completed")[0]["action"]["arguments"] == {"dose": 7}


async def test_an_edited_hypothesis_is_the_one_that_stands():
    bench = await waiting()
    bench.decide("edit", arguments={"dose": 7}, hypothesis=Hypothesis(text="less is better"))
    await bench.drive()
    assert bench.journal.of("evidence.filed")[0]["hypothesis"] == "less is better"


async def test_the_log_says_when_a_persons_hypothesis_gives_way():
    bench = await waiting()
    written = Hypothesis(text="less is better", by="ana", since=1)
    bench.decide("edit", arguments={"dose": 7}, hypothesis=written)
    await bench.drive()
    assert [made.get("given_up") for made in bench.journal.of("proposal.made")] == [
        None,
        {"text": "less is better", "by": "ana", "round": 0},
    ]


async def test_answer_takes_the_result_and_calls_no_tool():
    bench = await waiting()
    bench.decide("answer", result={"mass": 42.0}, note="weighed by hand")
    await bench.drive()
    assert bench.toolbox.calls == []
    assert bench.journal.of("round.completed")[0]["outcome"] == "mass 42 g"
    (row,) = await bench.ledger.rows()
    assert (row.value_of("mass"), row.operator) == (42.0, "ana")


async def test_veto_does_nothing_and_tells_the_reasoner_why():
    bench = await waiting()
    bench.decide("veto", reason_code="unsafe", note="the pan is cracked")
    assert (await bench.drive()).gate == "2/review"
    assert bench.toolbox.calls == []
    (veto,) = bench.reasoner.briefs[1].vetoes
    assert (veto.round, veto.text, veto.action.arguments) == (1, "the pan is cracked", {"dose": 1})


async def test_what_was_vetoed_is_not_put_before_people_again():
    bench = await waiting(
        script=[propose("weigh", dose=1), propose("weigh", dose=1), propose("weigh", dose=2)]
    )
    bench.decide("veto", reason_code="unsafe", note="the pan is cracked")
    await bench.drive()
    refused = bench.journal.of("proposal.refused")
    assert "A person vetoed exactly this in round 1: the pan is cracked" in refused[0]["problems"][0]
    assert bench.gate.content["proposal"]["action"]["arguments"] == {"dose": 2}


async def test_stop_ends_the_run_without_doing_anything():
    bench = await waiting()
    bench.decide("stop")
    driven = await bench.drive()
    assert (driven.status, driven.verdict, bench.toolbox.calls) == ("finished", "stop", [])


async def test_what_runs_is_what_was_approved():
    bench = await waiting()
    other = Action(tool="weigh", arguments={"dose": 99})
    bench.journal.answer(
        "1/review", Answer(verdict="approve", by="eve", action=other, action_digest="0" * 64)
    )
    with pytest.raises(Refused, match="differs from what was decided at 1/review"):
        await bench.drive()
    assert bench.toolbox.calls == []


@pytest.mark.parametrize("wish", ["stop", "pause"])
async def test_a_wish_is_obeyed_before_an_approved_action(wish):
    bench = await waiting()
    bench.decide("approve")
    bench.journal.wish = wish
    with pytest.raises(Stopped):
        await bench.drive()
    assert bench.toolbox.calls == []


# A person as the instrument


BY_HAND = ToyTool(
    WEIGH.spec.model_copy(update={"name": "by_hand", "executor": "person"}), lambda arguments: {"mass": 0}
)


async def at_result_gate() -> Bench:
    bench = Bench(
        lambda brief: propose("by_hand", dose=brief.round),
        tools=[BY_HAND],
        policy="auto",
        experiment_tool="by_hand",
    )
    assert (await bench.drive()).gate == "1/result"
    return bench


async def test_a_person_is_asked_for_the_result_of_what_only_people_can_do():
    bench = await at_result_gate()
    assert (bench.gate.kind, bench.gate.content["action"]["arguments"]) == (GateKind.RESULT, {"dose": 1})
    bench.decide("answer", result={"mass": 0.4})
    assert (await bench.drive()).gate == "2/result"
    assert bench.toolbox.calls == []
    (row,) = await bench.ledger.rows()
    assert (row.value_of("mass"), row.origin, row.operator) == (0.4, "person", "ana")


async def test_a_person_may_refuse_to_do_it():
    bench = await at_result_gate()
    bench.decide("veto", reason_code="too_costly")
    assert (await bench.drive()).gate == "2/result"
    assert await bench.ledger.rows() == []


# Ending


async def test_the_end_is_a_proposal_too():
    bench = Bench(lambda b: finish("A tenth.") if b.round > 1 else rising(b), policy="every_step")
    await bench.drive()
    bench.decide("approve")
    assert (await bench.drive()).gate == "2/finish"
    assert bench.gate.content["answer"] == "A tenth."
    bench.decide("approve")
    assert (await bench.drive()).status == "finished"


async def test_an_end_that_is_refused_sends_the_reasoner_on():
    bench = Bench(lambda b: finish("A tenth.") if b.round == 2 else rising(b), policy="every_step")
    await bench.drive()
    bench.decide("approve")
    await bench.drive()
    bench.decide("veto", reason_code="other", note="repeat it")
    assert (await bench.drive()).gate == "3/review"


# Budgets


@pytest.mark.parametrize(
    ("budget", "limit", "doses"),
    [
        (Budget(rounds=2), "rounds", 2),
        (Budget(experiments=3), "experiments", 3),
        (Budget(rounds=1, experiments=1), "rounds, experiments", 1),
    ],
)
async def test_a_used_up_budget_ends_the_run_and_says_which(budget, limit, doses):
    bench = Bench(rising, budget=budget)
    driven = await bench.drive()
    assert (driven.status, driven.outcome) == ("finished", f"budget used up: {limit}")
    assert len(bench.doses()) == doses
    assert bench.journal.of("budget.exhausted") == [{"limits": limit.split(", ")}]


@pytest.mark.parametrize(("budget", "calls"), [(Budget(tokens=250), 3), (Budget(tokens=200), 2)])
async def test_no_model_call_follows_the_one_that_uses_up_the_tokens(budget, calls):
    from agents.core.ports import ModelUsage

    usage = ModelUsage(role="reason", model="m", prompt_tokens=80, completion_tokens=20)
    bench = Bench(rising, budget=budget, reasoner={"usage": usage})
    driven = await bench.drive()
    assert driven.outcome == "budget used up: tokens"
    assert bench.journal.kinds().count("model.called") == calls


async def test_people_are_warned_before_a_limit_is_reached():
    bench = Bench(rising, budget=Budget(rounds=10))
    await bench.drive()
    assert [event.round for event in bench.journal.events if event.kind == "budget.warned"] == [8]


# Guidance


async def test_guidance_reaches_the_next_brief_once():
    bench = await waiting()
    bench.journal.guide("mind the draught")
    for _ in range(2):
        bench.decide("approve")
        await bench.drive()
    heard = [[item.text for item in brief.guidance] for brief in bench.reasoner.briefs]
    assert heard == [[], ["mind the draught"], []]
