"""What the gates do not let through: the reasoner hears why, then a person is asked."""

import pytest

from agents.core.budget import Budget
from agents.core.errors import BadInput, Fenced, ModelFault, NotConfigured, TimedOut
from agents.core.gates import GateKind
from agents.core.ports import ModelUsage
from agents.core.science import Bound, Constraint
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import LOOK
from tests.engine.bench import Bench


def limited(predicate) -> dict:
    return {"constraints": [Constraint(id="C1", text="no more than 50 mg", predicate=predicate)]}


AT_MOST_50 = Bound(parameter="dose", op="<=", value=50)


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (propose("weight", dose=1), "there is no tool weight"),
        (propose("weigh", dosis=1), "weigh takes dose"),
        (propose("weigh", dose=1_000_000), "dose is 1e+06"),
        (propose("weigh", dose=60), "no more than 50 mg"),
    ],
)
async def test_the_reasoner_is_told_why_and_may_mend_it(turn, reason):
    bench = Bench([turn, propose("weigh", dose=5), finish()], **limited(AT_MOST_50))
    await bench.drive()
    assert any(reason in told for told in bench.reasoner.briefs[1].refusals)
    assert bench.doses() == [5]
    assert bench.journal.of("proposal.refused")[0]["attempt"] == 1


async def test_a_repeat_is_refused_and_a_declared_replicate_is_not():
    again = propose("weigh", dose=5)
    bench = Bench([again, again, propose("weigh", dose=5, is_replicate=True), finish()])
    await bench.drive()
    assert bench.doses() == [5, 5]
    assert "already measured in round 1" in bench.journal.of("proposal.refused")[0]["problems"][0]


async def test_after_three_refusals_a_person_is_asked():
    bench = Bench([propose("weigh", dosis=1)])
    assert (await bench.drive()).gate == "1/attention"
    assert bench.gate.kind is GateKind.ATTENTION
    assert len(bench.reasoner.briefs) == len(bench.gate.content["tries"]) == 3
    assert bench.toolbox.calls == []


async def test_a_retry_is_a_round_of_its_own():
    bench = Bench([propose("weigh", dosis=1)] * 3 + [propose("weigh", dose=5), finish()])
    await bench.drive()
    bench.decide("retry")
    assert (await bench.drive()).status == "finished"
    assert [event.round for event in bench.journal.events if event.kind == "round.started"] == [1, 2, 3]


async def test_a_run_that_needs_attention_can_be_stopped():
    bench = Bench([propose("weigh", dosis=1)])
    await bench.drive()
    bench.decide("stop")
    assert (await bench.drive()).verdict == "stop"


@pytest.mark.parametrize(
    "fault",
    [
        ModelFault("no usable answer", [{"fault": "prose", "message": "prose", "raw": "well…"}]),
        BadInput("the study has no parameters"),
        NotConfigured("put OPENAI_API_KEY into .env"),
        TimedOut("the model did not answer within 60 s"),
    ],
)
async def test_a_reasoner_that_cannot_go_on_asks_a_person(fault):
    bench = Bench([fault])
    assert (await bench.drive()).gate == "1/attention"
    assert bench.gate.content["problem"] == str(fault)


async def test_guidance_that_led_nowhere_is_heard_again():
    bench = Bench([ModelFault("no usable answer"), propose("weigh", dose=5), finish()])
    bench.journal.guide("mind the draught")
    await bench.drive()
    bench.decide("retry")
    await bench.drive()
    heard = [[item.text for item in brief.guidance] for brief in bench.reasoner.briefs]
    assert heard == [["mind the draught"], ["mind the draught"], []]


async def test_a_lost_lease_is_nobodys_question():
    bench = Bench([Fenced("another worker drives the run")])
    with pytest.raises(Fenced):
        await bench.drive()
    assert bench.journal.open_gates() == []


async def test_an_answer_that_is_neither_a_step_nor_an_end_asks_a_person():
    bench = Bench([propose("weigh", dose=1).model_copy(update={"proposal": None})])
    await bench.drive()
    assert "neither a proposal nor a proposal to finish" in bench.gate.content["problem"]


async def test_a_limit_that_no_program_can_check_is_put_before_a_person_whatever_the_policy():
    bench = Bench(lambda brief: propose("weigh", dose=brief.round), policy="auto", **limited(None))
    assert (await bench.drive()).gate == "1/review"
    assert bench.gate.content["warnings"] == [
        "No program can check this limit, so please do: no more than 50 mg"
    ]


async def test_a_tool_that_is_repeated_too_often_is_refused_twice_and_then_a_persons_matter():
    bench = Bench(lambda brief: propose("look", page=brief.round * 10) if brief.round < 99 else finish())
    bench.toolbox._tools["look"] = type(bench.toolbox._tools["look"])(
        bench.toolbox._tools["look"].spec.model_copy(update={"may_repeat": False}),
        lambda arguments: {"text": "x"},
    )
    assert (await bench.drive()).gate == "3/review"
    assert [event.get("asks", False) for event in bench.journal.of("guard.tripped")] == [False, False, True]
    assert "look was used in the last 2 rounds" in bench.gate.content["warnings"][0]


async def test_an_end_without_any_result_is_refused_and_then_a_persons_matter():
    bench = Bench([finish("I know it already.")], policy="auto")
    assert (await bench.drive()).gate == "1/finish"
    assert bench.gate.content["force_review"] is True
    assert [event.get("asks", False) for event in bench.journal.of("guard.tripped")] == [False, False, True]


async def test_an_end_that_cites_what_does_not_exist_is_refused():
    bench = Bench([propose("weigh", dose=5), finish("done", "F7"), finish("done")])
    await bench.drive()
    assert "cites F7, which does not exist" in bench.journal.of("proposal.refused")[0]["problems"][0]


async def test_a_figure_that_is_no_number_does_not_reach_the_log():
    turn = propose("weigh", dose=5)
    details = {"acquisition": float("nan"), "mean": 1.5}
    turn = turn.model_copy(update={"proposal": turn.proposal.model_copy(update={"details": details})})
    bench = Bench([turn, finish()])
    await bench.drive()
    assert bench.journal.of("proposal.made")[0]["proposal"]["details"] == {"acquisition": None, "mean": 1.5}


async def test_text_is_cleaned_before_people_see_it():
    bench = Bench([propose("weigh", hypothesis="more\x00 is better", dose=5)], policy="every_step")
    await bench.drive()
    assert bench.gate.content["proposal"]["hypothesis"]["text"] == "more is better"


async def test_a_refused_end_is_not_proposed_again_with_nothing_done_since():
    bench = Bench([propose("weigh", dose=5), finish("It is so.")], policy="every_step")
    await bench.drive()
    bench.decide("approve")
    assert (await bench.drive()).gate == "2/finish"
    bench.decide("veto", reason_code="other")
    assert (await bench.drive()).gate == "3/attention"
    assert "nothing to propose but to finish, which was refused in round 2" in bench.gate.content["problem"]
    assert bench.reasoner.briefs[-1].finish_refused
    assert "refused to end the run in round 2" in bench.reasoner.briefs[-1].refusals[0]
    bench.decide("retry")
    assert (await bench.drive()).gate == "4/finish"
    bench.decide("approve")
    assert (await bench.drive()).status == "finished"


async def test_after_something_was_done_an_end_may_be_proposed_again():
    turns = [propose("weigh", dose=5), finish("so"), propose("weigh", dose=6), finish("so")]
    bench = Bench(turns, policy="every_step")
    for verdict in ("approve", "veto", "approve"):
        await bench.drive()
        bench.decide(verdict, **({"reason_code": "other"} if verdict == "veto" else {}))
    assert (await bench.drive()).gate == "4/finish"
    assert not bench.reasoner.briefs[-1].finish_refused


async def test_a_round_takes_three_answers_whatever_is_wrong_with_them():
    """Two unusable answers inside the reasoner and one that the gate does not admit are three, not nine."""

    def script(brief):
        return propose("weigh", dosis=1)

    usage = ModelUsage(role="reason", model="m", fault="not_finite")
    bench = Bench(script, reasoner={"usage": usage})
    assert (await bench.drive()).gate == "1/attention"
    assert [brief.asked for brief in bench.reasoner.briefs] == [0, 2]


async def test_the_limit_of_steps_is_set_for_the_run():
    bench = Bench(
        lambda brief: propose("look", page=brief.round * 1000) if brief.round < 9 else finish(),
        budget=Budget(idle_steps=2),
    )
    bench.toolbox._tools["look"] = type(LOOK)(LOOK.spec, lambda arguments: {"text": str(arguments["page"])})
    assert (await bench.drive()).gate == "3/review"
    assert "2 steps went by without an experiment" in bench.gate.content["warnings"][0]
