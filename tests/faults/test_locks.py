"""Many processes write at once while somebody reads for long and exports: nobody meets a locked database."""

import json
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest
from django.db import connection

from agents.models import Event
from agents.store.audit import log_problems
from reviews.exports import formats
from tests.faults.processes import ROOT, database_file, environment
from tests.support import make_run

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="looks for SQLite's one write lock")

PROCESSES, THREADS = 4, 4
WRITER = """
import os, sys, threading
os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
import django, json
django.setup()
from django.db import connection
from agents.services import give_guidance
runs, commits, faults = sys.argv[2:], int(sys.argv[1]), []
def write(run):
    for number in range(commits):
        try:
            give_guidance(run, text=f"{os.getpid()} {number}", by="ana")
        except Exception as fault:
            faults.append(f"{type(fault).__name__}: {fault}")
    connection.close()
threads = [threading.Thread(target=write, args=(run,)) for run in runs]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps(faults))
"""


@pytest.mark.parametrize(
    ("commits", "reading_s"), [(15, 4), pytest.param(200, 60, marks=pytest.mark.soak)], ids=["15", "200"]
)
def test_no_writer_meets_a_locked_database(oracle, tmp_path, commits, reading_s):
    runs = [make_run() for _ in range(THREADS)]
    env = environment(tmp_path)
    command = [sys.executable, "-c", WRITER, str(commits), *(str(run.pk) for run in runs)]
    reader = threading.Thread(target=_read_for, args=(reading_s,))
    reader.start()
    writers = [
        subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(PROCESSES)
    ]
    while any(writer.poll() is None for writer in writers):
        assert formats.FORMATS["jsonl"].write(runs[0])
        time.sleep(0.05)
    reader.join()
    ended = [writer.communicate() for writer in writers]
    assert [json.loads(out) for out, _ in ended] == [[]] * PROCESSES, [err[-500:] for _, err in ended]
    for run in runs:
        assert Event.objects.filter(run=run, kind="guidance.given").count() == PROCESSES * commits
        assert log_problems(run.pk) == []


def _read_for(seconds: float) -> None:
    """Hold one long read open, as a slow report does."""
    with closing(sqlite3.connect(database_file(), timeout=20, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT COUNT(*) FROM agents_event").fetchone()
        time.sleep(seconds)
        other.execute("COMMIT")
