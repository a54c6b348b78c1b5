"""Worker threads of this process over the test database, as `manage.py serve` has them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agents import assembly, wiring
from agents.core.brief import Brief
from agents.core.proposal import Turn
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.worker import wait_for, wake, work_forever
from tests.faults import rows

Workers = Callable[[int], Any]


@pytest.fixture
def oracle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, transactional_db: None
) -> Iterator[Path]:
    """The press's own file; the reasoner presses another dose in each round until it is told to end."""
    path = tmp_path / "oracle.jsonl"
    monkeypatch.setenv("DAYBOOK_ORACLE", str(path))
    monkeypatch.setenv("DAYBOOK_PRESS_SECONDS", "0")
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: ScriptedReasoner(_next_dose))
    settings.DAYBOOK_TOOLS = [rows.TOOL]
    wiring.registry.cache_clear()
    yield path
    wiring.registry.cache_clear()


def _next_dose(brief: Brief) -> Turn:
    """Press 1,000 mg more for each run of the study and 1 mg more for each round; end as the title says."""
    last = int(brief.protocol.title)
    if brief.round > last:
        return finish("The mass grows with the dose.")
    return propose("press", dose=brief.protocol.seed * 1000 + brief.round)


@pytest.fixture
def workers() -> Workers:
    @contextmanager
    def working(count: int) -> Iterator[None]:
        stop = threading.Event()
        threads = [threading.Thread(target=work_forever, kwargs={"stop": stop}) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            wake()
            wait_for(threads, seconds=30)
            assert not any(thread.is_alive() for thread in threads)

    return working
