"""Tasks that wait at the bench: they hold no thread, and every stop and start finds them as they were."""

import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.models import Event, Gate, Run
from agents.services import start_run
from tests.faults.processes import wait_until
from tests.faults.serving import Site
from tests.support import make_study

WORKERS = 2
SPACE = {"parameters": [{"name": "dose", "kind": "integer", "unit": "mg", "low": 1, "high": 100}]}


def bench_run() -> Run:
    """Return a queued run whose experiments a person does; the policy lets the proposals through."""
    study = make_study(
        slug=f"bench-{Run.objects.count()}",
        space=SPACE,
        objectives=[{"name": "mass", "unit": "g", "goal": "maximise"}],
        experiment_tool="ask_researcher",
        reasoner="optimiser",
        policy="auto",
        budget={"experiments": 2},
    )
    return start_run(study, by="ana")


def threads_of(site: Site) -> int:
    status = Path(f"/proc/{site.process.pid}/status").read_text()
    return int(status.partition("Threads:")[2].split()[0])


def wait_for_tasks(runs: list[Run]) -> None:
    open_ones = Gate.objects.filter(run__in=runs, kind="result", status="open")
    wait_until(lambda: open_ones.count() == len(runs))
    wait_until(
        lambda: not Run.objects.filter(pk__in=[run.pk for run in runs]).exclude(lease_owner="").exists()
    )


def enter(site: Site, gate: Gate, value: float) -> httpx.Response:
    """Answer the task in the page's own form, as a browser without JavaScript sends it."""
    page = site.get(f"/reviews/{gate.pk}/")
    token = page.cookies.get("csrftoken") or site.client.cookies["csrftoken"]
    sent = {
        "csrfmiddlewaretoken": token,
        "verdict": "answer",
        "digest": gate.digest,
        "res.measurements.mass.value": str(value),
    }
    return site.client.post(f"/reviews/{gate.pk}/decide/", data=sent, headers={"Referer": str(page.url)})


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="counts threads in /proc")
def test_waiting_tasks_hold_no_thread_and_survive_three_restarts(
    oracle: Path, process: Any, tmp_path: Path
) -> None:
    runs = [bench_run()]
    site = Site(process, tmp_path, studies=[runs[0].study], workers=WORKERS)
    wait_for_tasks(runs)
    one_waits = threads_of(site)
    runs += [bench_run() for _ in range(20)]
    wait_for_tasks(runs)
    assert threads_of(site) <= one_waits, "twenty more tasks wait"
    task = Gate.objects.get(run=runs[0], status="open")
    asked = task.request
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
        site.process.stop(number)
        site = Site(process, tmp_path, studies=[runs[0].study], workers=WORKERS)
        assert "dose" in site.get(f"/reviews/{task.pk}/").text
        task.refresh_from_db()
        assert (task.status, task.request) == ("open", asked)
        assert Gate.objects.filter(run__in=runs, status="open").count() == len(runs)
    assert enter(site, task, 4.5).status_code == 302
    wait_until(lambda: Gate.objects.filter(run=runs[0], kind="result", round=2, status="open").exists())
    (experiment,) = runs[0].experiments.all()
    assert experiment.measurements[0]["value"] == 4.5
    kinds = list(Event.objects.filter(run=runs[0], round=1).values_list("kind", flat=True))
    assert kinds.count("experiment.filed") == 1
