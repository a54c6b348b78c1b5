"""The benchmark's study on the test database: the real engine, tools in children, a scripted model over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents import wiring
from benchmarks.faults_site import TOOL_PATH


@pytest.fixture
def room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, transactional_db: None
) -> Iterator[Path]:
    """The folder of the instrument's own file, with the instrument installed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    settings.DAYBOOK_TOOLS = [TOOL_PATH]
    wiring.registry.cache_clear()
    yield tmp_path
    wiring.registry.cache_clear()
