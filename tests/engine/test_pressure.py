"""Memory runs short: the working memory gets smaller, it is written down, and the run goes on."""

from agents.testing.reasoner import finish, propose
from tests.engine.bench import Bench


def rising(brief):
    return finish() if brief.round > 5 else propose("weigh", dose=brief.round)


def tight(bench: Bench, *, from_round: int = 4) -> list[str]:
    """Let memory run short from a round on; return what was let go of."""
    relieved: list[str] = []
    bench.ports = {
        "pressure": lambda: "900 MB of 512 MB." if len(bench.reasoner.briefs) >= from_round - 1 else "",
        "relieve": lambda: relieved.append("caches"),
    }
    return relieved


async def test_pressure_trims_the_working_memory_and_the_run_goes_on():
    bench = Bench(rising)
    relieved = tight(bench)
    await bench.drive()
    assert bench.doses() == [1, 2, 3, 4, 5]
    assert [len(brief.steps) for brief in bench.reasoner.briefs] == [0, 1, 2, 1, 1, 1]
    assert bench.reasoner.briefs[3].steps[0].round == 3
    first = bench.journal.of("memory.trimmed")[0]
    assert (first["reason"], relieved[0]) == ("900 MB of 512 MB.", "caches")
    assert (await bench.state())["completed_steps"][-1]["round"] == 5


async def test_findings_and_hypothesis_are_never_trimmed():
    bench = Bench(rising)
    tight(bench)
    await bench.drive()
    brief = bench.reasoner.briefs[3]
    assert brief.hypothesis is not None
    assert len(brief.experiments) == 3


async def test_a_step_that_runs_out_of_memory_is_done_again_with_less():
    broken = [MemoryError()]

    def script(brief):
        if brief.round == 3 and broken:
            raise broken.pop()
        return rising(brief)

    bench = Bench(script)
    await bench.drive()
    assert bench.doses() == [1, 2, 3, 4, 5]
    assert [len(brief.steps) for brief in bench.reasoner.briefs[:4]] == [0, 1, 2, 1]
    assert [event.round for event in bench.journal.events if event.kind == "memory.trimmed"] == [3]


async def test_a_step_that_always_runs_out_of_memory_asks_a_person():
    def script(brief):
        if brief.round == 3:
            raise MemoryError
        return rising(brief)

    bench = Bench(script)
    assert (await bench.drive()).gate == "3/attention"
    assert "more memory than there is" in bench.gate.content["problem"]
    assert bench.doses() == [1, 2]
