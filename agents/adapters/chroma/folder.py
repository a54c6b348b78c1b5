"""The folder of a local Chroma server: who owns it, whether it is whole, and where a damaged one goes."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from agents.core.errors import Conflict

INDEX = "chroma.sqlite3"
MARK = "daybook-incomplete"
"""A file in the folder: the index lacks findings. Holds a token, so that an older rebuild does not clear it."""
KEEP_DAMAGED = 2


class FolderLock:
    """Lets one process own the folder. The kernel frees the lock when the owner dies; the file says who it was."""

    def __init__(self, folder: Path) -> None:
        self.path = folder.with_name(folder.name + ".lock")
        self._file: IO[str] | None = None

    def take(self) -> dict[str, Any]:
        """Take the lock and return what the last owner noted. Raises ``Conflict`` naming a living owner."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = open(self.path, "a+")  # noqa: SIM115  (held open: closing frees the lock)
        file.seek(0)
        noted = _parse(file.read())
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            folder = self.path.with_suffix("")
            raise Conflict(
                f"process {noted.get('pid', 'unknown')} already serves the long-term memory in {folder}; stop it, "
                "or set DAYBOOK_HOME to another folder, or CHROMA_URL to a server that both share"
            ) from error
        self._file = file
        return noted

    def note(self, **facts: Any) -> None:
        """Write who owns the folder, for people and for the next owner."""
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(json.dumps({"pid": os.getpid(), **facts}))
            self._file.flush()

    def free(self) -> None:
        """Free the lock. The file stays: removing it would let two owners lock two files."""
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()
            self._file.close()
            self._file = None


def _parse(text: str) -> dict[str, Any]:
    try:
        noted = json.loads(text)
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def end_orphan(noted: dict[str, Any], launcher: Path) -> bool:
    """Kill the server that a killed owner left behind; True when there was one.

    Only a process that runs our launcher is touched: its number may long be another program's.
    """
    pid = noted.get("child")
    if not isinstance(pid, int) or str(launcher).encode() not in _command_of(pid):
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while str(launcher).encode() in _command_of(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return True


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def prepare(folder: Path) -> None:
    """Make the folder; mark it incomplete when it holds no index."""
    folder.mkdir(parents=True, exist_ok=True)
    if not has_index(folder):
        (folder / MARK).write_text(uuid4().hex)


def has_index(folder: Path) -> bool:
    """True when there is a file that may be an index."""
    return identity(folder) is not None and (folder / INDEX).stat().st_size > 0


def identity(folder: Path) -> tuple[int, int] | None:
    """Return what tells the index file from a later one of the same name, or None when it is gone."""
    try:
        status = (folder / INDEX).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def incomplete_token(folder: Path) -> str:
    """Return the token of the mark, or '' when the index is complete."""
    try:
        return (folder / MARK).read_text()
    except OSError:
        return ""


def clear_mark(folder: Path, token: str) -> None:
    """Remove the mark if it still is the one with ``token``."""
    if token and incomplete_token(folder) == token:
        (folder / MARK).unlink(missing_ok=True)


def set_aside(folder: Path) -> Path:
    """Move a damaged folder to ``<name>.damaged-<time>`` and return where; only the newest two are kept."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    target = folder.with_name(f"{folder.name}.damaged-{stamp}-{uuid4().hex[:4]}")
    folder.rename(target)
    older = sorted(folder.parent.glob(f"{folder.name}.damaged-*"), key=lambda path: path.name)[:-KEEP_DAMAGED]
    for path in older:
        shutil.rmtree(path, ignore_errors=True)
    return target
