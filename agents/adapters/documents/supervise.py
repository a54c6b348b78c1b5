"""Runs the reading child: passes progress on, and ends it when time, people or its output say so."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import agents
from agents.adapters.documents.limits import ReadLimits
from agents.core.errors import BadInput, Refused

_CHILD = "agents.adapters.documents.child"
_TICK = 0.1
_MAX_OUTPUT = 200_000_000
_PASSED_ON = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "LD_LIBRARY_PATH", "VIRTUAL_ENV")


def ask_child(
    request: dict[str, Any],
    *,
    limits: ReadLimits,
    on_progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> dict[str, Any]:
    """Return the child's last message. It is killed when it is over time, or when ``should_stop`` returns True.

    Raises ``BadInput`` when the child refuses, crashes or runs over a limit, ``Refused`` when it was stopped.
    """
    name = request["name"]
    process = _start({**request, "limits": limits.model_dump()})
    lines: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=_pump, args=(process.stdout, lines), daemon=True)
    reader.start()
    try:
        message = _listen(
            lines, name, limits, on_progress or (lambda page, of: None), should_stop or (lambda: False)
        )
    finally:
        _end(process)
        reader.join(timeout=5)
    if message is None:
        raise BadInput(_crash(name, process.returncode, limits))
    if "refused" in message:
        raise BadInput(message["refused"])
    return message


def _start(request: dict[str, Any]) -> "subprocess.Popen[str]":
    """Start the child with nothing of our environment but where programs are: no keys, no settings."""
    environment = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
        [sys.executable, "-X", "utf8", "-m", _CHILD],
        cwd=Path(agents.__file__).parents[1],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it died at once; the end of its output tells
        process.stdin.write(json.dumps(request))
        process.stdin.close()
    return process


def _pump(stream: IO[str] | None, lines: "queue.Queue[str]") -> None:
    """Move lines from the pipe to the queue; an empty one marks the end."""
    assert stream is not None
    size = 0
    with contextlib.suppress(ValueError):  # the pipe is closed under us when the child is ended
        for line in stream:
            size += len(line)
            if size > _MAX_OUTPUT:
                break
            lines.put(line)
    lines.put("")


def _listen(
    lines: "queue.Queue[str]",
    name: str,
    limits: ReadLimits,
    on_progress: Callable[[int, int], None],
    should_stop: Callable[[], bool],
) -> dict[str, Any] | None:
    """Return the last message, None when the child ended without one."""
    deadline = time.monotonic() + limits.seconds
    seen = "0 pages"
    while True:
        if should_stop():
            raise Refused(f"Reading {name} was stopped.")
        if time.monotonic() > deadline:
            raise BadInput(
                f"{name} was not read within {limits.seconds:g} seconds (it got through {seen}). "
                "Send a part of it, or save it anew as a simpler PDF."
            )
        with contextlib.suppress(queue.Empty):
            line = lines.get(timeout=_TICK)
            if not line:
                return None
            message: dict[str, Any] = json.loads(line)
            if "page" not in message:
                return message
            seen = f"page {message['page']} of {message['of']}"
            on_progress(message["page"], message["of"])


def _end(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
    if process.poll() is None:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _crash(name: str, code: int | None, limits: ReadLimits) -> str:
    """Say why the child died: a memory or time limit of the system, or the file itself."""
    if code in (-24, -9, -6):
        return (
            f"{name} used up the time or memory allowed for reading ({limits.seconds:g} s, {limits.memory_mb} MB). "
            "Send a smaller or simpler file."
        )
    return (
        f"{name} broke the reader (code {code}); the file is damaged or hostile. Save it anew and send that."
    )
