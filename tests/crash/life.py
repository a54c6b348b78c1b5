"""What one process of a crash run does: it drives runs and answers reviews until every run has ended."""

import os
import time

from agents import assembly
from agents.core.brief import Brief
from agents.core.faults import arm
from agents.core.lifecycle import ENDED
from agents.core.proposal import Turn
from agents.models import Run
from agents.store.lease import free_dead_leases, process_name
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.worker import work_once
from tests.crash.people import answer_open_gates

PLAN = ("dose", "fire", "ask_researcher", "stir", "fire", "dose", "fire")
"""The tool of each round: every effect class, and a person."""

SWEEP_SECONDS = 0.3
IDLE_SECONDS = 0.01


def plan(brief: Brief) -> Turn:
    """Return the turn of the round that ``brief`` is about."""
    if brief.round > len(PLAN):
        return finish("It is done.")
    name = PLAN[brief.round - 1]
    field = "dose" if name == "ask_researcher" else "value"
    return propose(name, **{field: brief.round * 10})


def use_the_plan() -> None:
    """Let every run of this process follow the plan."""
    assembly.reasoner_for = lambda protocol, toolbox: ScriptedReasoner(plan)


def live(*, fault: str = "", without_people: bool = False) -> None:
    """Drive and answer until every run has ended. With ``fault``, die there."""
    arm(fault)
    use_the_plan()
    name, swept = f"{process_name()}:life", 0.0
    while Run.objects.exclude(status__in=ENDED).exists():
        if time.monotonic() - swept > SWEEP_SECONDS:
            swept = time.monotonic()
            free_dead_leases()
        busy = work_once(worker=name)
        if not without_people:
            busy = bool(answer_open_gates(os.environ["DAYBOOK_ORACLE"])) or busy
        if not busy:
            time.sleep(IDLE_SECONDS)
