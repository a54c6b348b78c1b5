"""The instrument of crash runs: tools of each effect class that write down every use in a file of their own.

The file is the oracle: it is outside the database and knows nothing of Daybook.
"""

import json
import os
import time
from dataclasses import dataclass

from agents.core.tools import EffectClass
from agents.tools.context import idempotency_key
from agents.tools.registry import tool

SECONDS = 0.03
"""How long a use takes, so that kills land inside one too."""


@dataclass(frozen=True)
class Use:
    """One use of the instrument: by which tool, under which idempotency key, with what result."""

    tool: str
    key: str
    value: int


def _use(name: str, value: int) -> int:
    line = json.dumps({"tool": name, "key": idempotency_key(), "value": value, "pid": os.getpid()}) + "\n"
    handle = os.open(os.environ["DAYBOOK_ORACLE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)
    time.sleep(SECONDS)
    return value * 10


def uses(path: str) -> list[Use]:
    """Return every use that was written down, oldest first."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [Use(row["tool"], row["key"], row["value"]) for row in rows]


@tool(effect=EffectClass.LOCAL, in_process=True)
def stir(value: int) -> int:
    """Stir: changes nothing outside, may be repeated."""
    return _use("stir", value)


@tool(effect=EffectClass.KEYED, in_process=True)
def dose(value: int) -> int:
    """Dose through a service that honours idempotency keys."""
    return _use("dose", value)


@tool(effect=EffectClass.BLIND, in_process=True)
def fire(value: int) -> int:
    """Fire: cannot be undone and must never happen twice."""
    return _use("fire", value)
