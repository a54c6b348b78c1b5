"""Many runs in one process on SQLite: all end, memory stays, budgets hold, and the stop switch is at once."""

import resource
import time

import pytest

from agents.core.lifecycle import ENDED
from agents.models import Run
from agents.services import stop_run
from agents.store.audit import log_problems
from tests.faults.instrument import presses
from tests.faults.processes import wait_until
from tests.faults.rows import press_run, press_study

MEGABYTE = 1024**2
PATIENCE_S = 3000


def memory() -> int:
    """Return the bytes that this process has in memory now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def doses(oracle):
    return [int(line["dose"]) for line in presses(oracle)]


def all_ended() -> bool:
    return not Run.objects.exclude(status__in=ENDED).exists()


@pytest.mark.parametrize(
    ("runs", "steps"), [(10, 10), pytest.param(200, 40, marks=pytest.mark.soak)], ids=["10x10", "200x40"]
)
def test_all_runs_end_and_memory_stays(oracle, workers, runs, steps, record_testsuite_property):
    with workers(4):
        press_run(press_study(title="5"))
        wait_until(all_ended)
        before, warm = memory(), len(doses(oracle))
        made = [press_run(press_study(title=str(steps))) for _ in range(runs)]
        wait_until(all_ended, seconds=PATIENCE_S, every=0.2)
        grown = memory() - before
    record_testsuite_property("megabytes grown", round(grown / MEGABYTE, 1))
    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded"}
    assert len(doses(oracle)) - warm == runs * steps
    assert [log_problems(run.pk) for run in made] == [[]] * runs
    assert grown <= 200 * MEGABYTE


@pytest.mark.parametrize("runs", [6, pytest.param(20, marks=pytest.mark.soak)])
def test_a_budget_of_ten_holds_for_each_of_many_runs_of_one_study_at_once(oracle, workers, runs):
    study = press_study(title="40")
    with workers(8):
        made = [press_run(study, budget={"experiments": 10}) for _ in range(runs)]
        wait_until(all_ended, seconds=PATIENCE_S)
    assert sorted(doses(oracle)) == [n * 1000 + i for n in range(1, runs + 1) for i in range(1, 11)]
    assert {Run.objects.get(pk=run.pk).state["outcome"] for run in made} == {"budget used up: experiments"}


@pytest.mark.parametrize("runs", [12, pytest.param(50, marks=pytest.mark.soak)])
def test_after_the_stop_switch_no_tool_starts(oracle, workers, runs, monkeypatch):
    monkeypatch.setenv("DAYBOOK_PRESS_SECONDS", "0.05")
    study = press_study(title="1000")
    with workers(8):
        made = [press_run(study) for _ in range(runs)]
        wait_until(lambda: len(doses(oracle)) > 24)
        stopped = {}
        for run in made:
            stop_run(run.pk, by="ana")
            stopped[run.number] = time.time()
        wait_until(all_ended)
    late = [line for line in presses(oracle) if line["at"] > stopped[int(line["dose"]) // 1000] + 1]
    assert (late, set(Run.objects.values_list("status", flat=True))) == ([], {"cancelled"})
