"""An instrument for runs of many rounds: an experiment tool whose own file says what it was made to do."""

import dataclasses
import json
import os
import time
from pathlib import Path

from pydantic import BaseModel

from agents.core.tools import EffectClass
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool


class Pressed(BaseModel):
    """What the press gives."""

    mass: float


def _press(dose: int) -> Pressed:
    """Press a tablet of ``dose`` mg and weigh it."""
    line = json.dumps({"dose": dose, "at": time.time(), "pid": os.getpid()}) + "\n"
    handle = os.open(os.environ["DAYBOOK_ORACLE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)
    time.sleep(float(os.environ.get("DAYBOOK_PRESS_SECONDS", "0.02")))
    return Pressed(mass=dose / 10)


_press.__name__ = "press"


def _experiment(effect: EffectClass) -> Tool:
    made = tool_of(tool(in_process=True, effect=effect, category="bench")(_press))
    return dataclasses.replace(made, spec=made.spec.model_copy(update={"is_experiment": True}))


PRESS = _experiment(EffectClass.BLIND)
"""Never repeated by itself."""


def presses(oracle: Path) -> list[dict[str, float]]:
    """Return every use of the instrument, oldest first."""
    return [json.loads(line) for line in oracle.read_text().splitlines()] if oracle.exists() else []
