"""The supervised server: up soon, back after a kill, gone with its parent, one owner a folder."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.adapters.chroma.child import ChromaChild
from agents.adapters.chroma.store import ChromaFindingStore
from agents.core.errors import Conflict, Transient
from tests.adapters.chroma.doubles import Words, eventually, finding

OWNER = """
import sys, time
from pathlib import Path
from agents.adapters.chroma.child import ChromaChild
child = ChromaChild(Path(sys.argv[1]))
child.start()
child.wait_ready()
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "var" / "chroma"


@pytest.fixture
def child(folder):
    child = ChromaChild(folder)
    child.start()
    assert child.wait_ready()
    yield child
    child.stop()


def store_of(child: ChromaChild) -> ChromaFindingStore:
    return ChromaFindingStore(child.connect, Words(), on_fault=child.inspect)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except OSError:
        return False


def start_owner(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Start another process that serves ``folder``; return it and the pid of its server."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    return owner, int(owner.stdout.readline())


def test_the_server_is_ready_within_three_seconds(folder):
    child = ChromaChild(folder)
    began = time.monotonic()
    child.start()
    assert child.wait_ready()
    waited = time.monotonic() - began
    child.stop()

    assert waited < 3


async def test_findings_survive_a_stop_and_a_start(child, folder):
    await store_of(child).add(finding(1, "the ligand decides"))
    child.mark_rebuilt(child.rebuild_token())
    child.stop()
    child.start()

    assert child.wait_ready()
    assert await store_of(child).ids() == {"f1"}
    assert child.needs_rebuild is False


async def test_a_killed_server_comes_back_with_what_was_indexed(child):
    store = store_of(child)
    await store.add(finding(1, "the ligand decides"))
    first = child.pid
    os.kill(first, signal.SIGKILL)

    assert eventually(lambda: child.is_ready and child.pid not in (None, first))
    assert await store.ids() == {"f1"}


async def test_while_the_server_is_down_a_search_says_so_at_once(child):
    store = store_of(child)
    await store.add(finding(1))
    child.stop()

    with pytest.raises(Transient, match=r"long-term memory is not ready \(stopped\)"):
        await store.search("finding", study_ids=None)


def test_stopping_ends_the_server_and_frees_the_folder(child, folder):
    pid = child.pid
    child.stop()

    assert not is_running(pid)
    with pytest.raises(Transient, match="not ready"):
        _ = child.url
    again = ChromaChild(folder)
    again.start()
    again.stop()


def test_a_second_owner_is_refused_and_told_who_is_first(child, folder):
    with pytest.raises(
        Conflict, match=rf"process {os.getpid()} already serves .*chroma; stop it, or set DAYBOOK_HOME"
    ):
        ChromaChild(folder).start()

    assert child.is_ready


def test_a_second_process_is_refused_too(folder):
    owner, _ = start_owner(folder)
    try:
        with pytest.raises(Conflict, match=f"process {owner.pid} already serves"):
            ChromaChild(folder).start()
    finally:
        owner.kill()
        owner.wait()


def test_the_server_dies_with_an_owner_that_is_killed(folder):
    owner, server = start_owner(folder)
    assert is_running(server)
    owner.kill()
    owner.wait()

    assert eventually(lambda: not is_running(server), 5)


def test_the_lock_of_a_killed_owner_does_not_keep_the_next_one_out(folder):
    owner, _ = start_owner(folder)
    owner.kill()
    owner.wait()
    child = ChromaChild(folder)
    child.start()

    assert child.wait_ready()
    child.stop()


def test_a_server_that_outlived_its_owner_is_ended_before_a_new_one_starts(folder, child):
    # As on a system where the kernel does not end it: the server lives, its lock file names it, nobody holds it.
    orphan = child.pid
    noted = child._lock.path.read_text()
    child._stopping.set()
    child._process = None
    child._thread.join()
    child._lock.free()
    child._lock.path.write_text(noted)
    next_one = ChromaChild(folder)
    next_one.start()

    assert json.loads(noted)["child"] == orphan
    assert next_one.wait_ready()
    assert not is_running(orphan)
    next_one.stop()


def test_a_process_that_only_has_the_number_of_an_old_server_is_left_alone(folder):
    innocent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    folder.parent.mkdir(parents=True)
    folder.with_name("chroma.lock").write_text(json.dumps({"pid": 1, "child": innocent.pid}))
    child = ChromaChild(folder)
    child.start()
    child.wait_ready()
    child.stop()

    assert innocent.poll() is None
    innocent.kill()
    innocent.wait()


def test_the_server_gets_no_keys_and_sends_nothing_home(child, monkeypatch):
    environment = Path(f"/proc/{child.pid}/environ").read_bytes().split(b"\0")

    assert b"ANONYMIZED_TELEMETRY=False" in environment
    assert not [item for item in environment if item.startswith((b"OPENAI", b"SECRET", b"DATABASE"))]


def test_the_server_listens_on_loopback_only(child):
    port = int(child.url.rsplit(":", 1)[1])
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]

    assert [
        address for address in listening if address.endswith(f":{port:04X}") and address.startswith("0000")
    ] == []
    assert child.url.startswith("http://127.0.0.1:")
