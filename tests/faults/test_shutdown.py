"""SIGTERM to a busy site: it is out in time, nothing is done twice, and the next start goes on from there."""

from contextlib import ExitStack

import pytest
from websockets.sync.client import connect

from agents.services import pause_run, resume_run
from agents.testing import ModelServer, Traits
from tests.faults.instrument import presses
from tests.faults.processes import environment, wait_until
from tests.faults.rows import press_run, press_study, presser, wrongs_of
from tests.faults.serving import Site

ROUNDS = 8
IN_TIME_S = 15.0


def doses(oracle):
    return [int(line["dose"]) for line in presses(oracle)]


def have_ended(runs):
    for run in runs:
        run.refresh_from_db()
    return all(run.has_ended or run.status == "waiting" for run in runs)


@pytest.mark.parametrize("sockets", [10, pytest.param(50, marks=pytest.mark.soak)])
def test_a_site_with_open_sockets_and_five_runs_stops_in_time_and_goes_on(oracle, process, tmp_path, sockets):
    runs = [press_run(press_study()) for _ in range(5)]
    for run in runs:
        pause_run(run.pk, by="ana")
    with ModelServer(presser(ROUNDS), traits=Traits(piece=8, pause_s=0.01)) as server, ExitStack() as tabs:
        given = {"base_url": server.base_url, "DAYBOOK_PRESS_SECONDS": "0.4"}
        site = Site(process, tmp_path, studies=[run.study for run in runs], workers=5, **given)
        for number in range(sockets):
            address = f"ws://127.0.0.1:{site.port}/ws/runs/{runs[number % 5].pk}/"
            tabs.enter_context(connect(address, additional_headers=site.socket_headers, max_queue=None))
        for run in runs:
            resume_run(run.pk, by="ana")
        wait_until(lambda: len(doses(oracle)) >= 6)
        code, seconds = site.process.stop()
        before = len(doses(oracle))
        assert (code, seconds < IN_TIME_S) == (0, True), f"{seconds:.1f} s: {site.process.said}"
        assert "Nothing was lost" in site.process.said
        assert before < 5 * ROUNDS
        Site(process, tmp_path, studies=[], workers=5, **given)
        wait_until(lambda: have_ended(runs))
    assert [run.status for run in runs] == ["succeeded"] * 5
    assert len(doses(oracle)) == len(set(doses(oracle))) == 5 * ROUNDS
    done = [[row.planned["dose"] for row in run.experiments.all()] for run in runs]
    assert [wrongs_of(run, each) for run, each in zip(runs, done, strict=True)] == [[]] * 5


def test_models_that_hang_do_not_hold_up_the_stop(oracle, process, tmp_path):
    runs = [press_run(press_study()) for _ in range(5)]
    with ModelServer(presser(ROUNDS), traits=Traits(piece=1, pause_s=1.0)) as server:
        studies = [run.study for run in runs]
        site = Site(process, tmp_path, studies=studies, workers=5, base_url=server.base_url)
        wait_until(lambda: len(server.requests) == 5)
        code, seconds = site.process.stop()
    assert (code, seconds < IN_TIME_S) == (0, True), f"{seconds:.1f} s: {site.process.said}"


def test_workers_of_their_own_stop_in_time_too(oracle, process, tmp_path):
    for _ in range(3):
        press_run(press_study())
    with ModelServer(presser(ROUNDS), traits=Traits(piece=1, pause_s=1.0)) as server:
        env = environment(tmp_path, base_url=server.base_url)
        worker = process("work", "--threads", "3", env=env)
        wait_until(lambda: len(server.requests) == 3)
        code, seconds = worker.stop()
    assert (code, seconds < IN_TIME_S) == (0, True), f"{seconds:.1f} s: {worker.said}"
