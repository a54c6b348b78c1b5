"""Waits for a model, but not after a person has stopped the run."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from agents.core.ports import Journal

T = TypeVar("T")

LOOK_EVERY_S = 1.0
"""Seconds between two looks whether the run was stopped: a model may be silent for minutes."""
LETTING_GO_S = 2.0
"""Seconds that a dropped call has to close its connection."""


async def unless_stopped(work: Awaitable[T], journal: Journal) -> T:
    """Return what ``work`` returns, or drop it and raise ``Stopped`` soon after the run was asked to stop.

    Only for what may be dropped: the asking of a model, never an action.
    """
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_EVERY_S))[0]:
            await journal.heed_stop()
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=LETTING_GO_S)
