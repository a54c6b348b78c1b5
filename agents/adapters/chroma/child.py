"""A local Chroma server as a supervised child: started, watched, restarted, and replaced when it is damaged."""

import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from agents.adapters.chroma import folder as files
from agents.adapters.chroma import probe
from agents.adapters.chroma.client import connect
from agents.core.errors import Transient

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

log = logging.getLogger("daybook.memory")

LAUNCHER = Path(__file__).with_name("launcher.py")
WATCH_S = 1.0
START_S = 30.0
STOP_S = 1.0
"""Chroma waits for open connections to close; a kill harms nothing that it confirmed."""
LONGEST_BACKOFF_S = 30.0
CALM_S = 60.0
"""A server that lived so long starts with a clean record."""
CRASHES = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL})
QUICK_PROBE = 8
FULL_PROBE = 10_000
# Nothing of the site's environment reaches the child: it holds keys.
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")


class ChromaChild:
    """Owns one folder and the server that serves it on a free loopback port.

    ``start`` returns at once; a thread keeps the server alive until ``stop``. The server dies with this process,
    however this process dies. An index that cannot be opened or searched is moved aside and an empty one takes
    its place: ``needs_rebuild`` is then True, also after a restart, until ``mark_rebuilt``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.state = "stopped"
        """One of stopped, starting, ready, restarting; with the reason after a colon."""
        self._lock = files.FolderLock(self.path)
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._ready = threading.Event()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._inspect = False
        self._failures = 0
        self._suspicions = 0

    def start(self) -> None:
        """Begin to serve. Raises ``Conflict`` when another process owns the folder."""
        noted = self._lock.take()
        if files.end_orphan(noted, LAUNCHER):
            log.warning("ended the Chroma server that a killed process left behind in %s", self.path)
        self._lock.note()
        self._stopping.clear()
        self.state = "starting"
        self._thread = threading.Thread(target=self._supervise, name="chroma-supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the server and free the folder."""
        self._stopping.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(STOP_S * 5)
            self._thread = None
            self._end_process()
            self._lock.free()
        self.state = "stopped"

    def wait_ready(self, timeout: float = START_S) -> bool:
        """Wait until the server answers; False when it did not within ``timeout`` seconds."""
        return self._ready.wait(timeout)

    @property
    def is_ready(self) -> bool:
        """True while the server answers."""
        return self._ready.is_set()

    @property
    def pid(self) -> int | None:
        """The server's process id, or None while there is none."""
        return self._process.pid if self._process is not None else None

    @property
    def url(self) -> str:
        """Where the server answers. Raises ``Transient`` while it does not."""
        if not self.is_ready:
            raise Transient(f"long-term memory is not ready ({self.state})", retry_after=1.0)
        return f"http://127.0.0.1:{self._port}"

    def connect(self) -> "ClientAPI":
        """Return a new client. Raises ``Transient`` while the server does not answer."""
        return connect(self.url)

    def inspect(self) -> None:
        """Look soon whether the index is damaged: a client met a fault."""
        self._inspect = True
        self._wake.set()

    @property
    def needs_rebuild(self) -> bool:
        """True when the index lacks findings that the rows have."""
        return bool(self.rebuild_token())

    def rebuild_token(self) -> str:
        """Return what to hand to ``mark_rebuilt`` after a rebuild that starts now; '' when none is needed."""
        return files.incomplete_token(self.path)

    def mark_rebuilt(self, token: str) -> None:
        """Say that the index is complete, unless it was replaced again since ``token`` was read."""
        files.clear_mark(self.path, token)

    # The supervisor's thread

    def _supervise(self) -> None:
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                reason = self._live()
            except Exception as error:  # whatever it was, the supervision must go on
                log.exception("supervising the Chroma server failed")
                reason = str(error) or type(error).__name__
            finally:
                self._ready.clear()
                self._end_process()
            if self._stopping.is_set():
                return
            self._failures = 1 if time.monotonic() - began > CALM_S else self._failures + 1
            self.state = f"restarting: {reason}"
            log.warning("the Chroma server in %s ended: %s", self.path, reason)
            self._stopping.wait(min(LONGEST_BACKOFF_S, 0.1 * 2 ** min(self._failures - 1, 10)))

    def _live(self) -> str:
        """Serve until something ends it; return what. Replaces the index when that was damage."""
        files.prepare(self.path)
        process = self._spawn()
        if not self._answers(process):
            return self._suspect(f"it did not start: {self._last_words()}")
        damage = self._damage(process, limit=QUICK_PROBE)
        if damage:
            return self._replace(damage)
        serving = files.identity(self.path)
        ready_since = time.monotonic()
        self.state = "ready"
        self._ready.set()
        while process.poll() is None and not self._stopping.is_set():
            self._wake.wait(WATCH_S)
            self._wake.clear()
            if files.identity(self.path) != serving:
                return "its files are gone"
            if self._inspect and process.poll() is None:
                self._inspect = False
                damage = self._damage(process, limit=FULL_PROBE)
                if damage:
                    return self._replace(damage)
        crashed = -(process.returncode or 0) in CRASHES
        if not crashed or time.monotonic() - ready_since > CALM_S:
            self._suspicions = 0
        return self._suspect(self._ending(process)) if crashed else self._ending(process)

    def _spawn(self) -> subprocess.Popen[bytes]:
        self._port = _free_port()
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= {"ANONYMIZED_TELEMETRY": "False", "RUST_LOG": "error"}
        with open(self._log_path, "wb") as output:
            # The kernel ties the child to this very thread, which lives as long as the supervision.
            self._process = subprocess.Popen(  # noqa: S603  (our own program, no shell)
                [sys.executable, "-P", str(LAUNCHER), str(os.getpid()), str(self.path), str(self._port)],
                env=environment,
                cwd=self.path.parent,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the site, which then stops us in order
            )
        self._lock.note(child=self._process.pid, port=self._port)
        return self._process

    def _answers(self, process: subprocess.Popen[bytes]) -> bool:
        deadline = time.monotonic() + START_S
        while process.poll() is None and time.monotonic() < deadline and not self._stopping.is_set():
            if probe.is_alive(self._port):
                return True
            time.sleep(0.02)
        return False

    def _damage(self, process: subprocess.Popen[bytes], *, limit: int) -> str:
        """Return what is wrong with the index, or ''. A server that somebody ended meanwhile proves nothing."""
        damage = probe.damage(self._port, limit=limit)
        if damage:
            with contextlib.suppress(subprocess.TimeoutExpired):
                if -process.wait(0.5) in (signal.SIGKILL, signal.SIGTERM):
                    return ""
        return damage

    def _suspect(self, reason: str) -> str:
        """Take the index for damaged at the second crash or failed start in a row."""
        self._suspicions += 1
        if self._suspicions >= 2 and files.has_index(self.path):
            return self._replace(reason)
        return reason

    def _replace(self, damage: str) -> str:
        """Move the index aside; the next life starts an empty one."""
        if self._stopping.is_set():
            return damage
        self._ready.clear()
        self._end_process()
        self._suspicions = 0
        with contextlib.suppress(FileNotFoundError):
            log.error(
                "the index of findings is damaged (%s); moved to %s", damage, files.set_aside(self.path)
            )
        files.prepare(self.path)
        return f"the index was damaged ({damage}) and is being rebuilt"

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @property
    def _log_path(self) -> Path:
        return self.path.with_name(self.path.name + ".log")

    def _ending(self, process: subprocess.Popen[bytes]) -> str:
        code = process.returncode
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit status {code}: {self._last_words()}"

    def _last_words(self) -> str:
        try:
            lines = self._log_path.read_text(errors="replace").splitlines()
        except OSError:
            return "no log"
        told = [line.strip() for line in lines if "rror" in line or "panicked" in line]
        return (told or ["it said nothing"])[-1][:300]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
