"""The whole loop on doubles: what is proposed, decided, done and filed, and in which order."""

import json
import subprocess
import sys

from agents.core.budget import Budget
from agents.core.proposal import MemoryOperation, Prediction
from agents.testing.reasoner import finish, propose
from tests.engine.bench import Bench


def rising(rounds: int):
    """Weigh 1, 2, 3 … mg and end after ``rounds``."""
    return lambda brief: finish() if brief.round > rounds else propose("weigh", dose=brief.round)


async def test_an_unattended_run_goes_to_its_end():
    bench = Bench(rising(3))
    driven = await bench.drive()
    assert (driven.status, bench.doses()) == ("finished", [1, 2, 3])
    assert bench.journal.of("summary.written")[0]["text"] == "Ended after round 4."


async def test_what_happens_in_a_round_happens_in_this_order():
    bench = Bench(rising(1))
    await bench.drive()
    first = [event.kind for event in bench.journal.events if event.round == 1]
    assert first == [
        "round.started",
        "proposal.made",
        "gate.passed",
        "effect.started",
        "effect.finished",
        "experiment.filed",
        "evidence.filed",
        "round.completed",
    ]


async def test_the_goal_and_the_limits_come_first():
    bench = Bench(rising(1), initial_hypothesis="more is better")
    await bench.drive()
    assert bench.journal.kinds()[0] == "digest.filed"
    assert bench.journal.of("digest.filed")[0]["hypothesis"]["text"] == "more is better"


async def test_the_reasoner_is_told_what_came_of_its_last_proposal():
    bench = Bench(rising(2))
    await bench.drive()
    second = bench.reasoner.briefs[1]
    assert second.observation["outcome"] == "mass 0.1 g"
    assert [(step.round, step.action.arguments) for step in second.steps] == [(1, {"dose": 1})]
    assert [row.value_of("mass") for row in second.experiments] == [0.1]
    assert second.run_summary == "round 1: mass 0.1 g"


async def test_a_prediction_is_judged_by_the_result():
    def script(brief):
        turn = propose("weigh", dose=brief.round)
        low = 0.0 if brief.round == 1 else 5.0
        prediction = Prediction(objective="mass", mean=low + 0.5, low=low, high=low + 1)
        proposal = turn.proposal.model_copy(update={"prediction": prediction})
        return finish() if brief.round > 2 else turn.model_copy(update={"proposal": proposal})

    bench = Bench(script)
    await bench.drive()
    assert [event["stance"] for event in bench.journal.of("evidence.filed")] == ["for", "against"]


async def test_findings_come_by_operations_and_are_shown_to_the_reasoner():
    def script(brief):
        turn = finish("done", "F1") if brief.round > 2 else propose("weigh", dose=brief.round)
        found = [MemoryOperation(op="add", text="mass is a tenth of the dose")] if brief.round == 2 else []
        return turn.model_copy(update={"memory": found})

    bench = Bench(script)
    await bench.drive()
    assert [finding.text for finding in bench.reasoner.briefs[2].findings] == ["mass is a tenth of the dose"]


async def test_a_tool_that_fails_is_an_observation_and_the_run_goes_on():
    from agents.testing.toolbox import WEIGH, ToyTool

    def jam(arguments):
        raise RuntimeError("the pan is stuck")

    bench = Bench(rising(2), tools=[ToyTool(WEIGH.spec, jam)])
    await bench.drive()
    outcomes = [event["outcome"] for event in bench.journal.of("round.completed")]
    assert outcomes == ["failed: the pan is stuck"] * 2
    assert not bench.journal.of("experiment.filed")


async def test_the_state_is_plain_small_and_as_large_late_as_early():
    sizes = {}
    for rounds in (10, 40):
        bench = Bench(rising(rounds), budget=Budget(rounds=None, experiments=None))
        await bench.drive()
        sizes[rounds] = len(json.dumps(await bench.state()))
    assert sizes[40] <= sizes[10] + 60


async def test_driving_a_finished_run_again_changes_nothing():
    bench = Bench(rising(2))
    first = await bench.drive()
    events = len(bench.journal.events)
    assert await bench.drive() == first
    assert (len(bench.journal.events), bench.doses()) == (events, [1, 2])


def test_the_engine_runs_without_django():
    code = (
        "import sys, asyncio; sys.modules['django'] = None\n"
        "from tests.engine.bench import Bench\n"
        "from tests.engine.test_loop import rising\n"
        "bench = Bench(rising(2)); driven = asyncio.run(bench.drive())\n"
        "print(driven.status, bench.doses())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "finished [1, 2]", done.stderr[-2000:]
