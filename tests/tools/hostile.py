"""Tools that misbehave in every way that an executor must survive."""

import asyncio
import contextlib
import ctypes
import os
import subprocess
import sys
import time

from pydantic import BaseModel

from agents.core.errors import BadInput, Transient
from agents.core.tools import EffectClass
from agents.tools.context import idempotency_key
from agents.tools.registry import tool


class Number(BaseModel):
    """A number."""

    value: float


@tool(effect=EffectClass.LOCAL, timeout_s=20)
def double(value: float) -> Number:
    """Return twice the value."""
    return Number(value=2 * value)


@tool(effect=EffectClass.LOCAL, in_process=True)
async def double_async(value: float) -> Number:
    """Return twice the value."""
    await asyncio.sleep(0)
    return Number(value=2 * value)


@tool(timeout_s=1.5)
def hang(marker: str) -> Number:
    """Start a process that writes to a file for ever, and never return."""
    code = f"import time\nwhile True:\n open({marker!r}, 'a').write('x'); time.sleep(0.05)"
    subprocess.Popen([sys.executable, "-c", code])
    while True:
        time.sleep(1)


@tool(timeout_s=20)
def leave_a_daemon(marker: str) -> Number:
    """Start a process of a session of its own that writes to a file for ever, and return."""
    code = f"import time\nwhile True:\n open({marker!r}, 'a').write('x'); time.sleep(0.05)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    while not os.path.exists(marker):
        time.sleep(0.02)
    return Number(value=1)


@tool(timeout_s=0.2, in_process=True)
async def dawdle() -> Number:
    """Wait longer than allowed."""
    await asyncio.sleep(30)
    return Number(value=0)


@tool(timeout_s=20)
def eat_memory() -> Number:
    """Ask for far too much memory."""
    return Number(value=len(bytearray(16 * 1024**3)))


@tool(timeout_s=30)
def multiply(marker: str, times: int) -> Number:
    """Double the number of processes again and again; each writes its number and stays."""
    for _ in range(times):
        os.fork()
        with open(marker, "a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(0.05)
    while True:
        time.sleep(1)


@tool(timeout_s=20)
def eat_memory_slowly() -> Number:
    """Take memory bit by bit, and keep it."""
    held = []
    while True:
        held.append(bytearray(16 * 1024**2))


@tool(timeout_s=20)
def eat_memory_together(marker: str, processes: int, each_mb: int) -> Number:
    """Start processes that take memory each, as much as one may, and wait for them."""
    for _ in range(processes):
        if os.fork() == 0:
            with open(marker, "a") as file:
                file.write(f"{os.getpid()}\n")
            held = os.urandom(1024) * (each_mb * 1024)
            time.sleep(60 if held else 0)
    time.sleep(60)
    return Number(value=0)


@tool(timeout_s=20)
def share_memory(processes: int, mb: int) -> Number:
    """Take memory once and start processes that only read it."""
    held = os.urandom(1024) * (mb * 1024)
    for _ in range(processes):
        if os.fork() == 0:
            time.sleep(1.5)
            os._exit(0)
    for _ in range(processes):
        os.wait()
    return Number(value=len(held) / 1024**2)


@tool(timeout_s=20)
def last_to_live() -> int:
    """Return how soon the system would end this process when memory runs out."""
    with open("/proc/self/oom_score_adj") as file:
        return int(file.read())


@tool(timeout_s=20)
def recurse() -> Number:
    """Call itself without end."""
    return recurse()


@tool(timeout_s=20)
def leave_the_child() -> Number:
    """Raise SystemExit in the child."""
    sys.exit(1)


class Odd(BaseException):
    """No exception that anybody expects."""


@tool(timeout_s=20)
def raise_anything() -> Number:
    """Raise what is no Exception."""
    raise Odd("of a kind of its own")


@tool(in_process=True)
def raise_anything_here() -> Number:
    """Raise in the worker what is no Exception."""
    raise Odd("of a kind of its own")


@tool(timeout_s=20)
def spoil_the_answer() -> Number:
    """Write on every file that is open, the one for the answer among them."""
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(number, b"{not an answer")
    return Number(value=1)


@tool(timeout_s=20)
def shout() -> Number:
    """Print a great deal."""
    for _ in range(10_000):
        print("x" * 100_000)  # noqa: T201
    return Number(value=1)


@tool(timeout_s=20)
def swell() -> list[int]:
    """Return far too much."""
    return list(range(3_000_000))


@tool(timeout_s=20)
def long_list(rows: int) -> list[dict[str, float]]:
    """Return many rows."""
    return [{"x": float(i), "y": 2.0 * i} for i in range(rows)]


@tool(timeout_s=20)
def die() -> Number:
    """End the process at once."""
    os._exit(3)


@tool(timeout_s=20)
def crash() -> Number:
    """Read memory that is not there."""
    ctypes.string_at(0)
    return Number(value=0)


@tool(in_process=True)
def leave() -> Number:
    """Raise SystemExit."""
    sys.exit(1)


@tool(in_process=True)
async def cancel_itself() -> Number:
    """Raise a cancellation that nobody asked for."""
    raise asyncio.CancelledError


@tool(in_process=True)
def not_a_number(inside: bool) -> Number:
    """Return NaN."""
    return Number(value=float("nan"))


@tool(timeout_s=20)
def infinite() -> Number:
    """Return infinity from another process."""
    return Number(value=float("inf"))


@tool(in_process=True)
def wrong_type() -> Number:
    """Return text where a number was promised."""
    return {"value": "plenty"}  # type: ignore[return-value]


@tool(timeout_s=20)
def refuse_input(value: float) -> Number:
    """Refuse the value for a reason that no schema says."""
    raise BadInput("field value: must be even", [{"field": "value", "message": "must be even"}])


@tool(in_process=True)
def busy() -> Number:
    """Be unavailable."""
    raise Transient("the instrument is warming up", 5)


@tool(in_process=True)
def raise_key_error() -> Number:
    """Raise something unforeseen."""
    raise KeyError("flask")


@tool(timeout_s=20)
def secrets_seen() -> list[str]:
    """Return the names of environment variables."""
    return sorted(os.environ)


@tool(effect=EffectClass.KEYED, timeout_s=20)
def key_in_child() -> str:
    """Return the idempotency key of the call."""
    return idempotency_key()


@tool(effect=EffectClass.KEYED, in_process=True)
def key_in_process() -> str:
    """Return the idempotency key of the call."""
    return idempotency_key()
