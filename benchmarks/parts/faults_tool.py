"""The instrument of the fault benchmark. Its own file, outside every product, says what it was made to do."""

import json
import math
import os
import time
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from agents.tools.registry import tool

SLOW_S = 6.0
LIMIT_S = 2.0
YIELD = 10.0
LONG = "x1 " * 133_333


class Reading(BaseModel):
    """What the instrument gives."""

    yield_percent: float
    log: str = ""


@tool(category="bench", title="Run an experiment", timeout_s=LIMIT_S)
def run_experiment(temperature_k: int, catalyst: str, minutes: float = 10.0) -> Reading:
    """Run one experiment and return its yield in percent."""
    _write_down({"temperature_k": temperature_k, "catalyst": catalyst, "minutes": minutes})
    mode = mode_now()
    if mode == "raises":
        raise ValueError("the heater is broken")
    if mode == "hangs":
        time.sleep(SLOW_S)
    if mode == "NaN":
        return Reading(yield_percent=float("nan"))
    return Reading(yield_percent=YIELD, log=LONG if mode == "huge" else "")


def room() -> Path:
    """Return the folder of this run: the temporary folder is what also a tool's child process is told."""
    return Path(os.environ["TMPDIR"])


def mode_now() -> str:
    """Return how the instrument behaves: ``ok``, ``raises``, ``hangs``, ``huge`` or ``NaN``."""
    path = room() / "mode"
    return path.read_text() if path.exists() else "ok"


def prepare(mode: str) -> None:
    """Start a new file, and set how the instrument behaves."""
    (room() / "mode").write_text(mode)
    (room() / "instrument.jsonl").write_text("")


def executed() -> list[dict[str, Any]]:
    """Return what the instrument was made to do, with the type of each value."""
    lines = (room() / "instrument.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def _write_down(arguments: dict[str, Any]) -> None:
    # As text, since JSON has no NaN; with the type, since "300" is not 300.
    told = {name: [type(value).__name__, repr(value)] for name, value in arguments.items()}
    with (room() / "instrument.jsonl").open("a") as file:
        file.write(json.dumps(told) + "\n")


def is_sound(line: dict[str, Any]) -> bool:
    """Return True when every value has its type and is finite: judged by hand, by no schema."""
    kinds = {name: kind for name, (kind, _) in line.items()}
    if kinds["temperature_k"] != "int" or kinds["catalyst"] != "str":
        return False
    return kinds["minutes"] in ("int", "float") and math.isfinite(float(line["minutes"][1]))


def is_as_meant(line: dict[str, Any]) -> bool:
    """Return True for the experiment that the scripted model means: 300 K with C1."""
    meant = {"temperature_k": ["int", "300"], "catalyst": ["str", "'C1'"]}
    return is_sound(line) and all(line[name] == value for name, value in meant.items())
