"""A model that hangs is waited for, but not after the run was stopped."""

import asyncio
import time

import pytest

from agents.core.errors import Stopped
from agents.engine import waiting
from agents.engine.waiting import unless_stopped
from agents.testing.journal import MemoryJournal


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(waiting, "LOOK_EVERY_S", 0.02)


async def test_what_comes_in_time_is_returned_and_what_it_raises_is_raised():
    async def answer():
        await asyncio.sleep(0.05)
        return "yes"

    async def fail():
        raise ValueError("odd")

    journal = MemoryJournal()
    assert await unless_stopped(answer(), journal) == "yes"
    with pytest.raises(ValueError, match="odd"):
        await unless_stopped(fail(), journal)


async def test_a_call_is_dropped_soon_after_the_run_was_stopped():
    journal, dropped = MemoryJournal(), []

    async def hang():
        try:
            await asyncio.sleep(60)
        finally:
            dropped.append(True)

    asyncio.get_running_loop().call_later(0.1, setattr, journal, "wish", "stop")
    began = time.monotonic()
    with pytest.raises(Stopped):
        await unless_stopped(hang(), journal)
    assert dropped == [True]
    assert time.monotonic() - began < 5


async def test_a_pause_waits_for_the_answer_which_is_paid_for():
    journal = MemoryJournal()
    journal.wish = "pause"

    async def answer():
        await asyncio.sleep(0.1)
        return "yes"

    assert await unless_stopped(answer(), journal) == "yes"
