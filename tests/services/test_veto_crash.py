"""A veto, and then the worker is lost at any of the engine's named points: what was vetoed never runs."""

import random

import pytest
from django.db import transaction

from agents import assembly, wiring, worker
from agents.models import Gate, Run
from agents.services import deliver, prepare_answer
from agents.store import journal, saver
from agents.store.audit import log_problems
from agents.testing.reasoner import ScriptedReasoner, propose
from agents.testing.toolbox import ToyToolbox
from agents.worker import advance, work_once
from tests.support import lose, make_run, take

pytestmark = pytest.mark.django_db
POINTS = (
    "on_resume",
    "after_gate",
    "before_ledger",
    "after_ledger",
    "before_checkpoint",
    "after_checkpoint",
    "before_park",
)


class Lost(BaseException):
    """The worker is gone."""


@pytest.mark.parametrize("times", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_nothing_that_was_vetoed_runs_after_a_crash(monkeypatch, times):
    toolbox = ToyToolbox()
    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: toolbox)
    monkeypatch.setattr(
        assembly,
        "reasoner_for",
        lambda protocol, box: ScriptedReasoner(lambda brief: propose("weigh", dose=brief.round)),
    )
    dice, fatal = random.Random(1), [""]

    def die(point: str) -> None:
        if point == fatal[0]:
            raise Lost

    for module in (worker, journal, saver):
        monkeypatch.setattr(module, "fault_point", die)
    run = make_run(policy="every_step", budget={"rounds": times + 10})
    work_once(worker="w")
    crashes = 0
    for _ in range(times):
        gate = Gate.objects.get(run=run, status="open")
        with transaction.atomic():
            given = prepare_answer(gate, verdict="veto", by="ana", reason_code="unsafe")
            deliver(gate, given, shown_digest=gate.digest)
        fatal[0] = dice.choice(POINTS)
        try:
            advance(take(run))
        except Lost:
            crashes += 1
            lose(run)
        fatal[0] = ""
        while work_once(worker="w2"):
            pass
    assert toolbox.calls == []
    assert crashes >= times // 3
    assert Run.objects.get(pk=run.pk).status == "waiting"
    assert log_problems(run.pk) == []
