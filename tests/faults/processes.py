"""Daybook's own processes on the test database: a worker or the whole site, started, limited and stopped by tests."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from tests.faults.rows import TOOL

ROOT = Path(settings.BASE_DIR)
PATIENCE = 60.0


def database_file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def environment(home: Path, *, base_url: str = "", **more: str) -> dict[str, str]:
    """Return the environment of a site in ``home`` on the test database, with nothing of the tester's own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV") if name in os.environ}
    return {
        **kept,
        "DAYBOOK_HOME": str(home),
        "DATABASE_URL": f"sqlite:///{database_file()}",
        "SECRET_KEY": settings.SECRET_KEY,
        "OPENAI_BASE_URL": base_url,
        "DAYBOOK_MODEL": "scripted",
        "DAYBOOK_TOOLS": TOOL,
        "DAYBOOK_ORACLE": str(home / "oracle.jsonl"),
        "PYTHONUNBUFFERED": "1",
        **more,
    }


class Process:
    """A management command that runs beside the test."""

    def __init__(self, *command: str, env: dict[str, str]) -> None:
        # A pipe, since a file would meet the limits that a test sets.
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line)

    @property
    def said(self) -> str:
        """What it printed so far; all of it once it has ended."""
        if not self.is_alive:
            self._reader.join(5)
        return "".join(self._lines)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def limit_files(self, size: int) -> None:
        """Let no file of the process grow beyond ``size`` bytes, as on a disk that is full; -1 frees it again."""
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        """Ask it to stop; return its exit status and the seconds that it took."""
        began = time.monotonic()
        if self.is_alive:
            self._process.send_signal(number)
        code = self._process.wait(PATIENCE)
        return code, time.monotonic() - began

    def end(self) -> None:
        if self.is_alive:
            self._process.kill()
        self._process.wait()


def wait_until(is_so: Callable[[], Any], *, seconds: float = PATIENCE, every: float = 0.05) -> Any:
    """Wait until ``is_so`` returns something true and return it; fail the test when it never does."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = is_so()
        if found:
            return found
        time.sleep(every)
    raise AssertionError(f"it did not come about in {seconds:g} s")
