"""Running one call in a child process that can be killed, with limits on memory, time and answer."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from typing import Any

from agents.core.errors import BadInput, TimedOut
from agents.tools.faults import Fault, InvalidOutput
from agents.tools.processes import descendants, end_group, end_tree, use_more_than

MEMORY_BYTES = 2 * 1024**3
"""Address space of a child; numeric libraries map far more than they use."""

PROCESSES = 64
"""That a child may have started and that are alive."""

TREE_BYTES = 2 * 1024**3
"""Memory that a child and all that it started may use together."""

LOOK_S = 0.2
"""Between two looks at them."""

ANSWER_BYTES = 8 * 1024**2
REAP_S = 5.0


class ChildFault(Exception):
    """The child reported a fault of the tool. ``fault`` is named as in ``ToolResult``."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


async def run_isolated(
    reference: str, arguments: dict[str, Any], *, timeout_s: float, idempotency_key: str = ""
) -> dict[str, Any]:
    """Return what the tool at ``reference`` returns, as JSON.

    The child and every process of its group are gone when this returns or raises. Raises ``TimedOut``,
    ``BadInput``, ``InvalidOutput``, or ``ChildFault`` with the tool's own fault.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "agents.tools.child",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_environment(),
        start_new_session=True,
    )
    request = {
        "reference": reference,
        "arguments": arguments,
        "memory_bytes": MEMORY_BYTES,
        "cpu_s": int(timeout_s) + 2,
        "idempotency_key": idempotency_key,
    }
    try:
        async with asyncio.timeout(timeout_s):
            answer = await _watched(child, json.dumps(request).encode())
    except TimeoutError as error:
        raise TimedOut(f"the tool did not finish within {timeout_s:g} s and was stopped") from error
    finally:
        await _end(child)
    return _read(answer, child.returncode)


def _environment() -> dict[str, str]:
    """Return the child's environment: where to find Python code, and none of our secrets."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return {**{k: os.environ[k] for k in kept if k in os.environ}, **threads, "PYTHONPATH": path}


async def _watched(child: asyncio.subprocess.Process, request: bytes) -> bytes:
    """Return the child's answer, unless it and what it started become more than a tool may be.

    The system's own limits hold for one process each, or count all of the user's.
    """
    talk = asyncio.ensure_future(_talk(child, request))
    watch = asyncio.ensure_future(_excess(child.pid))
    try:
        await asyncio.wait({talk, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not talk.done():
            raise ChildFault("unknown", f"the tool {watch.result()} and was stopped")
        return talk.result()
    finally:
        for task in (talk, watch):
            task.cancel()
        await asyncio.gather(talk, watch, return_exceptions=True)


async def _excess(pid: int) -> str:
    """Return what ``pid`` and its descendants have too much of, as soon as they have."""
    while True:
        await asyncio.sleep(LOOK_S)
        if found := await asyncio.to_thread(_look, pid):
            return found


def _look(pid: int) -> str:
    below = descendants(pid)
    if len(below) > PROCESSES:
        return f"started more than {PROCESSES} processes"
    if below and use_more_than(TREE_BYTES, [pid, *below]):
        return f"used more than {TREE_BYTES / 1024**3:.2g} GB of memory with the processes that it started"
    return ""


async def _talk(child: asyncio.subprocess.Process, request: bytes) -> bytes:
    assert child.stdin is not None
    assert child.stdout is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(request)
        await child.stdin.drain()
        child.stdin.close()
    answer = bytearray()
    while chunk := await child.stdout.read(65536):
        answer += chunk
        if len(answer) > ANSWER_BYTES:
            raise InvalidOutput(
                f"the result is larger than {ANSWER_BYTES // 1024**2} MB: return less, or a file"
            )
    await child.wait()
    return bytes(answer)


async def _end(child: asyncio.subprocess.Process) -> None:
    """Kill the child and all that it started, also when it has left by itself."""
    # A child that was waited for may have given its number to a stranger; its group is still its own.
    await asyncio.to_thread(end_tree if child.returncode is None else end_group, child.pid)
    # It is dead by now. Should the loop never hear of that, nobody must wait for it for ever.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(REAP_S):
            await child.wait()


def _read(answer: bytes, code: int | None) -> dict[str, Any]:
    try:
        found = json.loads(answer)
    except ValueError as error:
        ending = f"by signal {-code}" if code is not None and code < 0 else f"with code {code}"
        hint = (
            " (it may have used too much memory or time)"
            if code in (-signal.SIGKILL, -signal.SIGXCPU)
            else ""
        )
        raise ChildFault("unknown", f"the tool's process ended {ending} without a result{hint}") from error
    if "error" not in found:
        data: dict[str, Any] = found["data"]
        return data
    fault, message = found["error"]["fault"], found["error"]["message"]
    if fault == "bad_input":
        raise BadInput(message, found["error"]["problems"])
    raise ChildFault(fault, message)
