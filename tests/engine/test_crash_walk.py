"""Loses the worker at every single step of a run, one run for each, and lets the next one go on.

Random kills miss narrow places; here every call of a port and every write of a checkpoint is one.
"""

from typing import Any

import pytest

from agents.core.gates import GateKind
from agents.core.ports import ModelUsage
from agents.core.proposal import MemoryOperation
from agents.core.tools import EffectClass
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import WEIGH, ToyTool, toy_spec
from tests.engine.bench import Bench

PORTS = {
    "journal": ("emit", "once", "ask", "guidance_after", "settle", "vetoes", "spent", "charge", "think"),
    "ledger": ("rows", "file"),
    "book": ("active", "apply"),
    "saver": ("aget_tuple", "aput", "aput_writes"),
    "toolbox": ("call",),
}


class Lost(BaseException):
    """The worker is gone: nobody catches this."""


class Fate:
    """Counts the steps of a run and loses the worker at one of them, before or after it took effect."""

    def __init__(self, at: int | None = None, *, before: bool = True) -> None:
        self.steps = 0
        self._at = at
        self._before = before

    def watch(self, bench: Bench) -> None:
        for port, names in PORTS.items():
            for name in names:
                self._wrap(getattr(bench, port), name)

    def rest(self) -> None:
        """Let no more workers be lost."""
        self._at = None

    def _wrap(self, port: Any, name: str) -> None:
        real = getattr(port, name)

        async def step(*args: Any, **kwargs: Any) -> Any:
            self.steps += 1
            is_last = self.steps == self._at
            if is_last and self._before:
                raise Lost
            result = await real(*args, **kwargs)
            if is_last:
                raise Lost
            return result

        setattr(port, name, step)


class Gun:
    """A blind tool that counts its shots by round: the oracle."""

    def __init__(self) -> None:
        self.shots: list[float] = []

    def fire(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.shots.append(arguments["shots"])
        return {"hits": arguments["shots"]}


def script(brief):
    if brief.round > 2:
        return finish("done", "F1")
    turn = propose("fire", shots=20) if brief.round == 2 else propose("weigh", dose=1)
    found = [MemoryOperation(op="add", text=f"seen in round {brief.round - 1}")] if brief.round > 1 else []
    return turn.model_copy(update={"memory": found})


def make(policy: str, fate: Fate, *, calls_out: bool) -> tuple[Bench, Gun]:
    gun = Gun()
    usage = ModelUsage(role="reason", model="m", prompt_tokens=10) if calls_out else None
    fire = ToyTool(toy_spec("fire", "shots", effect=EffectClass.BLIND), gun.fire)
    bench = Bench(script, policy=policy, tools=[WEIGH, fire], reasoner={"usage": usage})
    fate.watch(bench)
    return bench, gun


async def to_the_end(bench: Bench, gun: Gun) -> int:
    """Drive and answer truthfully until the run ends; return how often a worker was lost."""
    lost = 0
    for _ in range(40):
        try:
            driven = await bench.drive()
        except Lost:
            lost += 1
            continue
        if driven.status == "finished":
            return lost
        answer(bench, gun)
    raise AssertionError("the run does not end")


def answer(bench: Bench, gun: Gun) -> None:
    if bench.gate.kind is not GateKind.OUTCOME:
        bench.decide("approve")
        return
    shots = bench.gate.content["action"]["arguments"]["shots"]
    bench.decide("answer", result={"hits": shots}) if shots in gun.shots else bench.decide("retry")


def story(bench: Bench) -> list[tuple[str, str | None, Any]]:
    """Return what a reader of the log sees of the run, whatever happened to its workers."""
    asides = ("effect.", "model.called", "review.", "gate.passed")
    told = [event for event in bench.journal.events if not event.kind.startswith(asides)]
    return [(e.kind, e.key, e.payload if e.kind == "evidence.filed" else None) for e in told]


@pytest.mark.parametrize(
    ("policy", "calls_out"),
    [("auto", True), ("every_step", False)],
    ids=["unattended model", "reviewed optimiser"],
)
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
async def test_a_worker_lost_anywhere_changes_nothing_of_the_story(policy, before, calls_out):
    bench, gun = make(policy, Fate(), calls_out=calls_out)
    assert await to_the_end(bench, gun) == 0
    expected, findings = story(bench), [f.text for f in await bench.book.active()]
    assert gun.shots == [20]
    step, lost = 0, 1
    while lost:
        step += 1
        fate = Fate(step, before=before)
        bench, gun = make(policy, fate, calls_out=calls_out)
        lost = await to_the_end(bench, gun)
        fate.rest()
        assert story(bench) == expected, step
        assert gun.shots == [20], step
        assert [f.text for f in await bench.book.active()] == findings, step
        assert [row.planned for row in await bench.ledger.rows()] == [{"dose": 1}], step
    assert step > 80, "the walk took every step of the run"
