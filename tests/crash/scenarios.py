"""Crash runs: kills at random, one kill at each named point, and workers that stall past their lease."""

import os
import signal
import time
from typing import Any

from agents.core.faults import POINTS
from tests.crash.nursery import Nursery

POLICIES = ("auto", "every_step")
SHORTEST, LONGEST = 0.01, 0.12
"""Time between two kills, as a share of the time that undisturbed runs take on this machine."""


def random_kills(nursery: Nursery, kills: int) -> dict[str, Any]:
    """Kill one of two lives at random moments until ``kills`` are reached, then let everything end."""
    nursery.add_runs(*POLICIES)
    started = time.monotonic()
    assert nursery.wait(nursery.live()) == 0
    usual = time.monotonic() - started
    nursery.add_runs(*POLICIES)
    lives = [nursery.live(), nursery.live()]
    while nursery.kills < kills:
        time.sleep(usual * nursery.random.uniform(SHORTEST, LONGEST))
        chosen = nursery.random.randrange(2)
        if nursery.has_ended(lives[chosen]):
            nursery.add_runs(*POLICIES)
        else:
            nursery.kill(lives[chosen])
        lives[chosen] = nursery.live()
    for life in lives:
        assert nursery.wait(life, seconds=120) == 0
    return nursery.verdict()


def named_points(nursery: Nursery) -> dict[str, Any]:
    """Kill one life at each named point, at its first and its second pass; each time let the run end.

    The first effect of a run honours keys, the second is blind.
    """
    missed = []
    for point in POINTS:
        for count in (1, 2):
            nursery.add_runs("every_step" if point in BY_PEOPLE else "auto")
            code = nursery.wait(nursery.live(fault=f"{point}:{count}"))
            if code == -signal.SIGKILL:
                nursery.kills += 1
            else:
                missed.append(f"{point}:{count}")
            assert nursery.wait(nursery.live()) == 0
    return {**nursery.verdict(), "points_missed": missed}


BY_PEOPLE = ("after_gate", "in_decision", "after_decision", "before_park")
"""Points that only matter where people answer."""

STALL_POINTS = ("before_ledger", "after_ledger", "after_effect", "before_checkpoint", "before_park")


def stalls(nursery: Nursery) -> dict[str, Any]:
    """Stall a life past its lease at each place while another one goes on; then let it wake."""
    late = 0
    for point in STALL_POINTS:
        (run,) = nursery.add_runs("auto")
        sleeper = nursery.fork(lambda point=point: _stall_at(point))
        _, status = os.waitpid(sleeper, os.WUNTRACED)
        assert os.WIFSTOPPED(status), f"the life never came to {point}"
        time.sleep(float(os.environ["DAYBOOK_LEASE_SECONDS"]) + 0.1)
        assert nursery.wait(nursery.live()) == 0
        before = nursery.result_of(lambda run=run: _trace(run))
        os.kill(sleeper, signal.SIGCONT)
        assert nursery.wait(sleeper) == 0
        late += nursery.result_of(lambda run=run: _trace(run)) != before
    return {**nursery.verdict(), "stalls": len(STALL_POINTS), "late_writes": late}


def _stall_at(point: str) -> None:
    """Live, but stop at ``point``, at a blind effect if it has one, until somebody wakes the process."""
    from agents import worker
    from agents.store import journal, saver
    from tests.crash.life import live

    stop_at = 2 if point in ("before_ledger", "after_ledger", "after_effect") else 1
    passed: list[str] = []

    def stop(name: str) -> None:
        passed.append(name)
        if name == point and passed.count(point) == stop_at:
            os.kill(os.getpid(), signal.SIGSTOP)

    for module in (worker, journal, saver):
        module.fault_point = stop
    live(without_people=True)


def _trace(run: str) -> list[Any]:
    """Return everything that a late worker could have changed."""
    from agents.models import Checkpoint, CheckpointWrite, Effect, Event, Experiment, Gate, Run
    from tests.crash.instrument import uses

    row = Run.objects.get(pk=run)
    rows = [
        list(model.objects.filter(run=run).order_by("pk").values_list(*fields))
        for model, fields in (
            (Event, ("seq", "chain")),
            (Effect, ("key", "status", "tries", "epoch")),
            (Gate, ("key", "status")),
            (Experiment, ("key",)),
        )
    ]
    checkpoints = [m.objects.filter(thread_id=run).count() for m in (Checkpoint, CheckpointWrite)]
    return [
        row.status,
        row.epoch,
        row.seq,
        row.head,
        rows,
        checkpoints,
        len(uses(os.environ["DAYBOOK_ORACLE"])),
    ]
