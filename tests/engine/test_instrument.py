"""An instrument takes a job and reports later: the run waits for it as it waits for a person."""

from agents.core.gates import GateKind
from agents.core.tools import EffectClass
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import ToyTool, toy_spec
from tests.engine.bench import Bench

ASSAY = ToyTool(
    toy_spec("assay", "dose", is_experiment=True, executor="instrument", effect=EffectClass.KEYED),
    lambda arguments: {"job": "J1"},
)


def assay_bench(tool: ToyTool = ASSAY) -> Bench:
    script = [propose("assay", dose=5), propose("assay", dose=6), finish()]
    return Bench(script, tools=[tool], experiment_tool="assay")


async def test_after_the_job_is_sent_the_run_waits_for_its_result():
    bench = assay_bench()
    assert (await bench.drive()).gate == "1/result"
    assert bench.gate.kind is GateKind.RESULT
    assert bench.gate.content["job"] == {"job": "J1"}
    assert len(bench.toolbox.calls) == 1


async def test_driving_on_while_it_waits_sends_no_second_job():
    bench = assay_bench()
    for _ in range(3):
        assert (await bench.drive()).gate == "1/result"
    assert len(bench.toolbox.calls) == 1


async def test_what_it_reports_is_filed_as_the_experiment():
    bench = assay_bench()
    await bench.drive()
    bench.decide("answer", result={"mass": 0.7}, by="instrument HPLC")
    assert (await bench.drive()).gate == "2/result"
    (row,) = await bench.ledger.rows()
    assert (row.measurements[0].value, row.operator) == (0.7, "instrument HPLC")


async def test_a_person_may_give_the_job_up():
    bench = assay_bench()
    await bench.drive()
    bench.decide("veto", reason_code="other", note="the instrument is broken")
    assert (await bench.drive()).gate == "2/result"
    assert await bench.ledger.rows() == []


async def test_an_instrument_that_refuses_the_job_is_an_observation():
    def refuse(arguments):
        raise ValueError("no such method")

    local = ASSAY.spec.model_copy(update={"effect": EffectClass.LOCAL})
    bench = assay_bench(ToyTool(local, refuse))
    await bench.drive()
    assert "no such method" in bench.reasoner.briefs[1].steps[-1].outcome
    assert all("result" not in request.key for request in bench.journal.open_gates())


async def test_a_tool_that_needs_review_is_asked_about_whatever_the_policy_says():
    code = ToyTool(toy_spec("code", "dose", needs_review=True, effect=EffectClass.LOCAL), lambda _: {"x": 1})
    bench = Bench([propose("code", dose=1), finish()], tools=[code], policy="auto")
    assert (await bench.drive()).gate == "1/review"
