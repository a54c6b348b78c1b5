"""The findings index is lost under a running site: search goes on by words, and every finding comes back by itself."""

import json
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents import memory_keeper
from agents.memory import search_findings
from agents.models import Finding, Study
from tests.adapters.chroma.doubles import Words
from tests.faults.processes import wait_until
from tests.support import make_study

CANARIES = 60


def word(number: int) -> str:
    """A word that stands in one finding only."""
    return "canary" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:03d}")


@pytest.fixture
def study(transactional_db: None) -> Study:
    study = make_study()
    rows = [
        Finding(study=study, number=n, text=f"The {word(n)} rose with the dose.", confidence=0.7, evidence=[])
        for n in range(1, CANARIES + 1)
    ]
    Finding.objects.bulk_create(rows)
    return study


@pytest.fixture
def folder(study: Study, tmp_path: Path, settings, monkeypatch) -> Iterator[Path]:
    """The folder of an index that is kept by a running keeper and complete."""
    settings.DAYBOOK_HOME, settings.CHROMA_URL = tmp_path, ""
    monkeypatch.setattr(memory_keeper, "embedder", Words)
    monkeypatch.setattr(memory_keeper, "EVERY", 0.1)
    stop = threading.Event()
    keeper = threading.Thread(target=memory_keeper.keep_memory, args=(stop,))
    keeper.start()
    wait_until(lambda: all_found(study))
    yield tmp_path / "chroma"
    stop.set()
    keeper.join(20)
    assert not keeper.is_alive()


def all_found(study: Study) -> bool:
    """True when each canary is the first hit of its own word, found by meaning."""
    for number in range(1, CANARIES + 1):
        hits = search_findings(word(number), study_ids=[study.pk], limit=1)
        if not hits or hits[0].how != "meaning" or hits[0].row.number != number:
            return False
    return True


def child_of(folder: Path) -> int:
    """Return the server's process id as its keeper noted it; 0 while that is being written."""
    try:
        return int(json.loads(folder.with_name("chroma.lock").read_text()).get("child", 0))
    except ValueError:
        return 0


def kill(folder: Path) -> None:
    os.kill(child_of(folder), signal.SIGKILL)


def delete(folder: Path) -> None:
    shutil.rmtree(folder)


def scramble(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and path.stat().st_size > 4096:
            path.write_bytes(os.urandom(path.stat().st_size))


@pytest.mark.parametrize("harm", [kill, delete, scramble], ids=lambda harm: harm.__name__)
def test_every_finding_is_found_again_and_searching_never_fails(folder, study, harm: Callable[[Path], None]):
    before = child_of(folder)
    harm(folder)
    hits = search_findings(word(7), study_ids=[study.pk], limit=1)
    assert [hit.row.number for hit in hits] == [7]
    wait_until(lambda: child_of(folder) not in (0, before))
    wait_until(lambda: all_found(study))
