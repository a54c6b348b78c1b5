"""A slow call of a model or a tool holds nothing: no transaction is open, and pages are as quick as ever."""

import sqlite3
import statistics
import time
from contextlib import closing

import pytest
from django.db import connection

from agents import assembly
from agents.core.ports import ModelUsage
from agents.services import pause_run, resume_run
from agents.store.lease import claim
from agents.testing import ModelServer, Traits
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.worker import advance
from benchmarks.parts.faults_site import connected_to
from tests.faults.processes import database_file, wait_until
from tests.faults.rows import press_run, presser
from tests.faults.serving import Site

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="looks for SQLite's one write lock")


def is_free() -> bool:
    """True when nobody holds the database for writing at this moment."""
    with closing(sqlite3.connect(database_file(), timeout=0, isolation_level=None)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return False
    return True


def drive(run):
    advance(claim(worker="w", run_id=run.pk))
    run.refresh_from_db()
    return run


def test_no_transaction_is_open_while_a_model_is_called(oracle):
    script, seen = presser(4), []

    def looking(request, number):
        seen.append(is_free())
        return script(request, number)

    with ModelServer(looking) as server, connected_to(server):
        run = drive(press_run())
    assert (run.status, seen) == ("succeeded", [True] * 6)


def test_no_transaction_is_open_while_a_reasoner_thinks_or_a_tool_works(oracle, monkeypatch):
    seen = []

    def looking(brief):
        seen.append(connection.in_atomic_block)
        return propose("press", dose=brief.round) if brief.round <= 3 else finish()

    usage = ModelUsage(role="reason", model="m")
    monkeypatch.setattr(
        assembly, "reasoner_for", lambda protocol, toolbox: ScriptedReasoner(looking, usage=usage)
    )
    monkeypatch.setattr("tests.faults.instrument.time.sleep", lambda seconds: seen.append(not is_free()))
    run = drive(press_run())
    assert (run.status, run.experiments.count(), any(seen), len(seen)) == ("succeeded", 3, False, 7)


@pytest.mark.parametrize("seconds", [3, pytest.param(10, marks=pytest.mark.soak)])
def test_pages_are_not_slowed_by_a_slow_model(oracle, process, tmp_path, seconds):
    run = press_run()
    pause_run(run.pk, by="ana")
    pieces = 40
    slow = Traits(piece=4, pause_s=seconds / pieces)
    with ModelServer(presser(50), traits=slow) as server:
        site = Site(process, tmp_path, studies=[run.study], workers=1, base_url=server.base_url)
        pages = ("/inbox/", f"/runs/{run.pk}/", f"/runs/{run.pk}/timeline/")
        for page in pages:
            site.seconds_for(page)
        alone = statistics.median(site.seconds_for(page) for page in pages * 4)
        resume_run(run.pk, by="ana")
        wait_until(lambda: server.requests)
        ends = time.monotonic() + seconds
        during: list[float] = []
        while time.monotonic() < ends:
            during += [site.seconds_for(page) for page in pages]
    assert statistics.median(during) <= 2 * alone + 0.1
    assert max(during) < 2
