"""The disk and the database fail under a run: nothing starts that is not written down, and all goes on afterwards."""

import json
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from django.db import InterfaceError, OperationalError, transaction

from agents.models import Gate, Run
from agents.services import deliver, prepare_answer
from agents.store.lease import claim
from agents.store.ledger import OrmLedger
from agents.store.trouble import current, sentence_of
from agents.testing import ModelServer
from agents.worker import advance
from benchmarks.parts.faults_site import connected_to
from tests.faults.instrument import presses
from tests.faults.processes import ROOT, database_file, environment, wait_until
from tests.faults.rows import press_run, presser, wrongs_of

ROUNDS = 12


def doses(oracle):
    return [int(line["dose"]) for line in presses(oracle)]


def rests(run: Run) -> bool:
    run.refresh_from_db()
    return run.has_ended or run.status == "waiting"


@pytest.fixture
def server():
    with ModelServer(presser(ROUNDS)) as server:
        yield server


def test_on_a_full_disk_nothing_starts_and_with_space_the_run_goes_on(oracle, process, tmp_path, server):
    run = press_run()
    env = environment(tmp_path, base_url=server.base_url, DAYBOOK_PRESS_SECONDS="0.3")
    worker = process("work", "--threads", "1", env=env)
    wait_until(lambda: len(doses(oracle)) == 3)
    worker.limit_files(1)
    time.sleep(3)
    assert len(doses(oracle)) == 3
    worker.limit_files(-1)
    wait_until(lambda: rests(run))
    assert f"The database in {database_file().parent} does not answer (disk I/O error)." in worker.said
    assert "The database can be written again; runs go on." in worker.said
    assert (run.status, len(doses(oracle)), wrongs_of(run, doses(oracle))) == ("succeeded", ROUNDS, [])


def test_a_result_that_finds_no_space_before_the_lease_ends_is_asked_for(oracle, process, tmp_path, server):
    run = press_run()
    env = environment(
        tmp_path, base_url=server.base_url, DAYBOOK_PRESS_SECONDS="0.3", DAYBOOK_LEASE_SECONDS="2"
    )
    worker = process("work", "--threads", "1", env=env)
    wait_until(lambda: len(doses(oracle)) == 3)
    worker.limit_files(1)
    time.sleep(5)
    worker.limit_files(-1)
    wait_until(lambda: rests(run))
    gate = Gate.objects.get(run=run, status="open")
    assert (gate.kind, len(doses(oracle))) == ("outcome", 3)
    with transaction.atomic():
        answer = prepare_answer(
            gate, verdict="answer", by="ana", result={"measurements": {"mass": {"value": 0.3}}}
        )
        deliver(gate, answer, shown_digest=gate.digest)
    wait_until(lambda: rests(run))
    assert (run.status, len(doses(oracle)), wrongs_of(run, doses(oracle))) == ("succeeded", ROUNDS, [])


@pytest.mark.parametrize("seconds", [3, pytest.param(25, marks=pytest.mark.soak)])
def test_a_database_that_another_program_holds_is_waited_for(oracle, process, tmp_path, server, seconds):
    run = press_run()
    process("work", "--threads", "1", env=environment(tmp_path, base_url=server.base_url))
    wait_until(lambda: len(doses(oracle)) >= 3)
    with closing(sqlite3.connect(database_file(), timeout=10, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        other.execute("ROLLBACK")
    wait_until(lambda: rests(run))
    assert (run.status, len(doses(oracle)), wrongs_of(run, doses(oracle))) == ("succeeded", ROUNDS, [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("database or disk is full", "The disk of {where} is full. Free some space"),
        ("attempt to write a readonly database", "cannot be written (attempt to write a readonly database)"),
        ("database is locked", "Another program holds the database in {where}."),
        ("server closed the connection", "does not answer (server closed the connection)"),
        ("no such table: agents_run", "is not set up for this release"),
        ("database disk image is malformed", "is damaged (database disk image is malformed)"),
        ("file is not a database", "is damaged (file is not a database)"),
    ],
)
def test_a_fault_of_the_database_is_told_with_what_to_do(text, told, db):
    assert told.format(where=database_file().parent) in sentence_of(OperationalError(text))


PROMISED = """
import django, json
django.setup()
from django.db import connection, transaction
with connection.cursor() as cursor:
    found = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")}
connection.queries_log.clear()
connection.force_debug_cursor = True
with transaction.atomic():
    pass
found["begins"] = connection.queries[0]["sql"]
found["atomic_requests"] = connection.settings_dict["ATOMIC_REQUESTS"]
print(json.dumps(found))
"""


def test_a_sites_database_is_opened_as_promised(tmp_path, db):
    env = environment(tmp_path, DATABASE_URL=f"sqlite:///{tmp_path}/daybook.sqlite3")
    env["DJANGO_SETTINGS_MODULE"] = "project.settings"
    done = subprocess.run(
        [sys.executable, "-c", PROMISED], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {
        "journal_mode": "wal",
        "synchronous": 2,  # FULL
        "foreign_keys": 1,
        "busy_timeout": 20_000,
        "begins": "BEGIN IMMEDIATE",
        "atomic_requests": False,
    }


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError])
def test_a_connection_that_breaks_in_the_middle_of_a_round_puts_the_run_off(
    oracle, server, monkeypatch, kind
):
    broken, file = [kind("the connection is closed")], OrmLedger.file

    async def breaking(ledger, experiment, **given):
        if broken:
            raise broken.pop()
        return await file(ledger, experiment, **given)

    monkeypatch.setattr(OrmLedger, "file", breaking)
    with connected_to(server):
        run = press_run()
        assert advance(claim(worker="w", run_id=run.pk)) == "queued"
        assert "the connection is closed" in str(current())
        lease = wait_until(lambda: claim(worker="w", run_id=run.pk))
        assert advance(lease) == "succeeded"
    assert (len(doses(oracle)), wrongs_of(run, doses(oracle))) == (ROUNDS, [])
