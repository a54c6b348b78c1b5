"""A damaged index: moved aside, replaced by an empty one, and said to need a rebuild. The site stays up."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.adapters.chroma import folder as files
from agents.adapters.chroma.child import ChromaChild
from agents.adapters.chroma.store import ChromaFindingStore
from agents.core.errors import Transient
from tests.adapters.chroma.doubles import Words, eventually, finding

# Past a thousand vectors Chroma writes its graph to files of its own.
KEPT = [finding(number, f"compound {number % 50} in solvent {number}") for number in range(1100)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A folder with a complete index of 1,100 findings."""
    import asyncio

    child = ChromaChild(tmp_path_factory.mktemp("whole") / "chroma")
    child.start()
    assert child.wait_ready()
    token = child.rebuild_token()
    asyncio.run(ChromaFindingStore(child.connect, Words()).rebuild(KEPT))
    child.mark_rebuilt(token)
    child.stop()
    return child.path


@pytest.fixture
def folder(whole, tmp_path) -> Path:
    shutil.copytree(whole, tmp_path / "chroma")
    return tmp_path / "chroma"


@pytest.fixture
def child(folder):
    child = ChromaChild(folder)
    yield child
    child.stop()


def noise(path: Path, *, start: float = 0.0, share: float = 1.0) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(int(size * start))
        file.write(os.urandom(int(size * share)))


def graph(folder: Path, name: str) -> Path:
    return next(folder.glob(f"*/{name}"))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "random bytes in the database": lambda folder: noise(folder / files.INDEX),
    "random bytes in the middle of the database": lambda folder: noise(
        folder / files.INDEX, start=0.3, share=0.4
    ),
    "a database cut short": lambda folder: os.truncate(folder / files.INDEX, 10_000),
    "random vectors": lambda folder: noise(graph(folder, "data_level0.bin")),
    "a graph without its header": lambda folder: graph(folder, "header.bin").unlink(),
    "all graphs deleted": lambda folder: [shutil.rmtree(path) for path in folder.iterdir() if path.is_dir()],
}


@pytest.mark.parametrize("name", DAMAGES)
async def test_a_damaged_index_is_replaced_and_can_be_rebuilt(child, folder, name):
    DAMAGES[name](folder)
    child.start()

    assert eventually(lambda: child.is_ready and child.needs_rebuild, 20)
    assert len(list(folder.parent.glob("chroma.damaged-*"))) == 1
    token, store = child.rebuild_token(), ChromaFindingStore(child.connect, Words())
    assert await store.count() == 0
    await store.rebuild(KEPT[:50])
    child.mark_rebuilt(token)
    assert (len(await store.ids()), await store.healthy(), child.needs_rebuild) == (50, "", False)


@pytest.mark.parametrize("loss", [shutil.rmtree, lambda folder: os.truncate(folder / files.INDEX, 0)])
def test_an_index_that_is_simply_gone_starts_empty_and_is_said_to_lack_findings(child, folder, loss):
    loss(folder)
    child.start()

    assert child.wait_ready()
    assert child.needs_rebuild is True


async def test_random_bytes_under_a_running_server_are_noticed_by_the_first_fault(child, folder):
    child.start()
    assert child.wait_ready()
    store = ChromaFindingStore(child.connect, Words(), on_fault=child.inspect)
    assert await store.count() == len(KEPT)
    noise(folder / files.INDEX)

    with pytest.raises(Transient):
        await store.add(finding(2000))
    assert eventually(lambda: child.is_ready and child.needs_rebuild, 20)
    assert await store.count() == 0


def test_a_folder_deleted_under_a_running_server_is_noticed_by_itself(child, folder):
    child.start()
    assert child.wait_ready()
    shutil.rmtree(folder)

    assert eventually(lambda: child.is_ready and child.needs_rebuild and files.has_index(folder), 20)


def test_a_whole_index_is_neither_moved_nor_rebuilt(child, folder):
    child.start()
    assert child.wait_ready()
    child.inspect()

    assert not eventually(lambda: child.needs_rebuild or not child.is_ready, 1.5)
    assert list(folder.parent.glob("chroma.damaged-*")) == []


def test_one_crash_is_survived_and_the_second_in_a_row_is_taken_for_damage(child, folder):
    child.start()
    assert child.wait_ready()
    for crash, moved in ((1, 0), (2, 1)):
        before = child.pid
        os.kill(before, signal.SIGSEGV)
        assert eventually(lambda: child.is_ready and child.pid not in (None, before), 20)  # noqa: B023
        assert (crash, len(list(folder.parent.glob("chroma.damaged-*")))) == (crash, moved)


def test_a_server_that_is_killed_while_it_is_looked_at_is_not_taken_for_damaged(child, folder, monkeypatch):
    def killed_under_the_probe(port: int, *, limit: int) -> str:
        if limit > 100:
            os.kill(child.pid, signal.SIGKILL)
            return "the server broke off"
        return ""

    monkeypatch.setattr("agents.adapters.chroma.probe.damage", killed_under_the_probe)
    child.start()
    assert child.wait_ready()
    before = child.pid
    child.inspect()

    assert eventually(lambda: child.is_ready and child.pid not in (None, before))
    assert list(folder.parent.glob("chroma.damaged-*")) == []


def test_the_need_of_a_rebuild_outlives_a_restart_and_an_older_rebuild(child, folder):
    shutil.rmtree(folder)
    child.start()
    assert child.wait_ready()
    child.stop()
    child.start()
    assert child.wait_ready()
    assert child.needs_rebuild is True

    child.mark_rebuilt("the token of an index before this one")
    assert child.needs_rebuild is True
    child.mark_rebuilt(child.rebuild_token())
    assert child.needs_rebuild is False


def test_only_the_newest_damaged_folders_are_kept(tmp_path):
    folder = tmp_path / "chroma"
    for name in ("chroma.damaged-20200101-000000-aaaa", "chroma.damaged-20210101-000000-aaaa"):
        (tmp_path / name).mkdir()
    folder.mkdir()
    moved = files.set_aside(folder)

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "chroma.damaged-20210101-000000-aaaa",
        moved.name,
    ]
