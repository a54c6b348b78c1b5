"""The benchmark's study on the test database, and Daybook's own processes beside the test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents import wiring
from benchmarks.parts.faults_site import TOOL_PATH
from tests.faults import rows
from tests.faults.processes import Process


@pytest.fixture
def room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, transactional_db: None
) -> Iterator[Path]:
    """The folder of the benchmark's instrument, with that instrument installed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    settings.DAYBOOK_TOOLS = [TOOL_PATH]
    wiring.registry.cache_clear()
    yield tmp_path
    wiring.registry.cache_clear()


@pytest.fixture
def oracle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, transactional_db: None
) -> Iterator[Path]:
    """The press's own file, with the press installed in this process and in every one started here."""
    path = tmp_path / "oracle.jsonl"
    monkeypatch.setenv("DAYBOOK_ORACLE", str(path))
    settings.DAYBOOK_TOOLS = [rows.TOOL]
    wiring.registry.cache_clear()
    yield path
    wiring.registry.cache_clear()


@pytest.fixture
def process() -> Iterator[Callable[..., Process]]:
    """Start a management command; it is ended with the test."""
    started: list[Process] = []

    def start(*command: str, env: dict[str, str]) -> Process:
        started.append(Process(*command, env=env))
        return started[-1]

    yield start
    for each in started:
        each.end()
