"""Tools for the tests of lists: one that takes a second, and one that keeps count of its calls."""

import time

from pydantic import BaseModel

from agents.core.tools import EffectClass
from agents.tools.registry import tool


class Waited(BaseModel):
    """How long it took."""

    seconds: float


@tool(category="toys", effect=EffectClass.LOCAL, in_process=True, parallel_safe=True, duration_s=1)
def wait_a_second(number: int) -> Waited:
    """Wait for one second."""
    time.sleep(1.0)
    return Waited(seconds=1.0)


@tool(category="toys", effect=EffectClass.LOCAL, parallel_safe=True, duration_s=1)
def wait_in_a_process(number: int) -> Waited:
    """Wait for one second, in a process of its own."""
    time.sleep(1.0)
    return Waited(seconds=1.0)
