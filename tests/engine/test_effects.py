"""Effects through the engine: tried again where that is safe, asked about where nobody knows."""

import pytest

from agents.core.gates import GateKind
from agents.core.tools import EffectClass
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import ToyTool, toy_spec
from tests.engine.bench import Bench


class Lost(BaseException):
    """The worker is gone: nobody catches this."""


class Fire:
    """A tool that answers each use by a script: data, or an error message."""

    def __init__(self, effect: EffectClass, *answers) -> None:
        self.uses = 0
        self._answers = answers
        self.tool = ToyTool(toy_spec("fire", "shots", effect=effect), self._run)

    def _run(self, arguments):
        self.uses += 1
        answer = self._answers[min(self.uses, len(self._answers)) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer


def bench_with(fire: Fire, **given) -> Bench:
    done = ToyTool(toy_spec("look", "page", effect=EffectClass.LOCAL), lambda arguments: {"text": "x"})
    script = [propose("fire", shots=3), propose("look", page=1), finish()]
    return Bench(script, tools=[fire.tool, done], **given)


def fault(bench: Bench, name: str, times: int) -> None:
    """Let the first ``times`` calls of the toolbox fail with ``name``."""
    call, calls = bench.toolbox.call, []

    async def failing(action, **given):
        result = await call(action, **given)
        calls.append(action)
        if len(calls) > times:
            return result
        return result.model_copy(update={"success": False, "fault": name, "error_message": "gone"})

    bench.toolbox.call = failing


async def crash(bench: Bench) -> None:
    """Lose the worker in the middle of the tool."""
    with pytest.raises(Lost):
        await bench.drive()


@pytest.mark.parametrize("effect", [EffectClass.LOCAL, EffectClass.KEYED])
async def test_a_call_that_was_cut_off_is_made_again_under_the_same_key(effect):
    fire = Fire(effect, Lost(), {"hits": 3})
    bench = bench_with(fire)
    await crash(bench)
    await bench.drive()
    assert fire.uses == 2
    assert [key for _, key in bench.toolbox.calls[:2]] == ["run-1:1/act/fire:1"] * 2
    assert not bench.journal.open_gates()


async def at_outcome_gate() -> tuple[Bench, Fire]:
    fire = Fire(EffectClass.BLIND, Lost(), {"hits": 3})
    bench = bench_with(fire)
    await crash(bench)
    assert (await bench.drive()).gate == "1/outcome/1"
    assert (bench.gate.kind, bench.gate.risk, fire.uses) == (GateKind.OUTCOME, "high", 1)
    return bench, fire


async def test_it_happened_with_this_result():
    bench, fire = await at_outcome_gate()
    bench.decide("answer", result={"hits": 2})
    await bench.drive()
    assert fire.uses == 1
    assert bench.journal.of("effect.settled")[0]["happened"] is True
    assert bench.reasoner.briefs[1].observation["data"] == {"hits": 2}


async def test_it_did_not_happen_and_is_left_at_that():
    bench, fire = await at_outcome_gate()
    bench.decide("not_happened")
    await bench.drive()
    assert fire.uses == 1
    assert bench.reasoner.briefs[1].observation["outcome"] == "failed: A person found that it did not happen."


async def test_it_did_not_happen_and_is_done_once_more():
    bench, fire = await at_outcome_gate()
    bench.decide("retry")
    await bench.drive()
    assert fire.uses == 2
    attempts = [
        event["attempt"] for event in bench.journal.of("effect.started") if event["key"] == "1/act/fire"
    ]
    assert attempts == [1, 2]


async def test_a_permitted_repeat_that_is_cut_off_is_asked_about_again():
    fire = Fire(EffectClass.BLIND, Lost(), Lost(), {"hits": 3})
    bench = bench_with(fire)
    await crash(bench)
    await bench.drive()
    bench.decide("retry")
    await crash(bench)
    assert (await bench.drive()).gate == "1/outcome/2"
    assert fire.uses == 2


async def test_the_run_may_be_stopped_instead():
    bench, fire = await at_outcome_gate()
    bench.decide("stop")
    assert (await bench.drive()).verdict == "stop"
    assert fire.uses == 1


@pytest.mark.parametrize("name", ["transient", "timeout"])
async def test_a_passing_fault_is_tried_again_under_one_key_with_growing_pauses(name):
    bench = bench_with(Fire(EffectClass.KEYED, {"hits": 3}))
    fault(bench, name, times=2)
    await bench.drive()
    assert [key for _, key in bench.toolbox.calls[:3]] == ["run-1:1/act/fire:1"] * 3
    assert len(bench.pauses) == 2
    assert 0.5 <= bench.pauses[0] <= 1.5
    assert 1.0 <= bench.pauses[1] <= 3.0


async def test_a_fault_that_does_not_pass_is_an_observation():
    bench = bench_with(Fire(EffectClass.KEYED, {"hits": 3}))
    fault(bench, "transient", times=9)
    await bench.drive()
    assert bench.journal.of("round.completed")[0]["outcome"] == "failed: gone"
    assert [event["attempt"] for event in bench.journal.of("effect.finished")][:3] == [1, 2, 3]


@pytest.mark.parametrize("name", ["transient", "timeout", "unknown"])
async def test_a_blind_call_that_may_have_happened_is_asked_about_and_not_repeated(name):
    fire = Fire(EffectClass.BLIND, {"hits": 3})
    bench = bench_with(fire)
    fault(bench, name, times=1)
    assert (await bench.drive()).gate == "1/outcome/1"
    assert fire.uses == 1


@pytest.mark.parametrize("name", ["bad_input", "refused", "output_invalid"])
async def test_a_fault_that_says_what_happened_is_an_observation(name):
    bench = bench_with(Fire(EffectClass.BLIND, {"hits": 3}))
    fault(bench, name, times=1)
    await bench.drive()
    assert bench.journal.of("round.completed")[0]["outcome"] == "failed: gone"


async def test_the_journal_has_the_start_before_the_call_and_the_end_after():
    seen = []
    fire = Fire(EffectClass.BLIND, {"hits": 3})
    bench = bench_with(fire)
    call = bench.toolbox.call

    async def watched(action, **given):
        seen.append(bench.journal.kinds()[-1])
        return await call(action, **given)

    bench.toolbox.call = watched
    await bench.drive()
    assert seen == ["effect.started", "effect.started"]
