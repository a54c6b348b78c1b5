"""Between the asynchronous engine and the database: a worker's loop runs on the thread that owns its connection."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async

P = ParamSpec("P")
T = TypeVar("T")

_thread = threading.local()


def run_here(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` on a loop of this thread, whose connection ``in_database`` then uses without a hop.

    A hop to another thread and back costs more than most statements, and a round has dozens of them. The loop
    stands still during a statement: nothing but this one run is on it.
    """
    _thread.is_ours = True
    try:
        return asyncio.run(main)
    finally:
        _thread.is_ours = False


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call ``function``, which uses the database, on the thread that owns the connection."""
    if not getattr(_thread, "is_ours", False):
        return await sync_to_async(function)(*args, **kwargs)
    loop = asyncio.get_running_loop()
    # Django refuses to work where a loop runs, since a loop usually serves many; this one serves this run.
    asyncio._set_running_loop(None)
    try:
        return function(*args, **kwargs)
    finally:
        asyncio._set_running_loop(loop)
