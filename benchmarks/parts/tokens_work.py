"""The scripted work of ``tokens.py``: a seeded paper with 40 facts, and one observation a step.

With ``--bench-dir`` the paper and the observations come from ``workload.py`` in that folder instead.
"""

import importlib.util
import random
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import bpe_openai

PAPER_TOKENS = 5015
OBSERVATION_TOKENS = 300
FACTS, LIMITS = 40, 8
QUANTITIES = [
    ("calcination temperature", "K"),
    ("specific surface area", "m2/g"),
    ("mean pore volume", "mm3/g"),
    ("apparent activation energy", "kJ/mol"),
    ("selectivity toward the ester", "%"),
    ("turnover frequency", "1/h"),
    ("induction period", "s"),
    ("loss of mass on drying", "mg"),
    ("residual moisture", "ppm"),
    ("stirring threshold", "rpm"),
]
FILLER = [
    "Each run was done on three days and the median is reported, since the first run of a day was often biased.",
    "A blank without the promoter went through the same sequence, so that the support could be ruled out.",
    "The uppermost points lie close to the limit of the sensor, yet the trend over the window is monotone.",
    "Samples were degassed and kept under dry nitrogen; a short exposure to air changed nothing measurable.",
    "Another reading, in which transport limits the rate, cannot be excluded from the flow data alone.",
    "Leaving out any single batch moves the estimate by less than its standard error.",
]

_o200k = bpe_openai.get_encoding("o200k_base")


def encode(text: str) -> list[int]:
    """Return the o200k tokens of ``text``."""
    tokens: list[int] = _o200k.encode(text)
    return tokens


@dataclass(frozen=True)
class Fact:
    """A sentence with a number that no other sentence has. ``is_limit``: a core constraint."""

    id: str
    text: str
    value: str
    is_limit: bool = False


class Work:
    """The built-in work. The same seed gives the same paper and observations."""

    goal = "Find the condition with the highest yield that respects every limit of the paper."

    @cached_property
    def facts(self) -> list[Fact]:
        """The facts of the paper; the first ``LIMITS`` are limits."""
        dice = random.Random(7)
        values = dice.sample(range(10_000, 99_999), FACTS)
        return [_fact(place, f"{value / 100:.2f}") for place, value in enumerate(values)]

    @cached_property
    def paper(self) -> str:
        """The paper: facts spread evenly, filler between them, ``PAPER_TOKENS`` long."""
        order = list(self.facts)
        random.Random(8).shuffle(order)
        blocks = [f"{fact.text}." for fact in order]
        dice = random.Random(9)
        text, place = "", 0
        while len(encode(text)) < PAPER_TOKENS:
            blocks[place % FACTS] += " " + dice.choice(FILLER)
            place += 1
            text = "Promoted mixed oxides under cyclic load\n\n" + "\n".join(blocks)
        return text

    def observation(self, step: int) -> tuple[str, Fact]:
        """Return the instrument's log of ``step`` and the one fact in it."""
        dice = random.Random(11_000 + step)
        value = f"{step}.{dice.randint(1000, 9999)}7"
        text = f"run {step} finished. yield={value} %. status=ok."
        second = 0
        while len(encode(text)) < OBSERVATION_TOKENS:
            text += f"\nt={second}s T={dice.uniform(290, 480):.1f}K p={dice.uniform(0.9, 5):.2f}bar flow={dice.randint(10, 90)}ml/min"
            second += 30
        return text, Fact(f"O{step}", f"step {step} yield was {value} %", value)

    def arguments(self, step: int) -> dict[str, Any]:
        """Return the arguments of the experiment of ``step``."""
        return {"temperature_k": 300 + step, "catalyst": f"C{step % 7 + 1}", "minutes": 10 + step % 20}


class ForeignWork(Work):
    """The work of a ``workload.py``: its paper, facts, goal, arguments and observations."""

    def __init__(self, folder: Path) -> None:
        spec = importlib.util.spec_from_file_location("workload", folder / "workload.py")
        if spec is None or spec.loader is None:
            raise SystemExit(f"there is no workload.py in {folder}")
        self._module = importlib.util.module_from_spec(spec)
        sys.modules["workload"] = self._module
        spec.loader.exec_module(self._module)
        self._paper, facts = self._module.make_paper()
        self._facts = [Fact(f.fid, f.text, f.value, f.core) for f in facts]
        self.goal = self._module.GOAL.removeprefix("Goal: ")

    @property
    def facts(self) -> list[Fact]:  # type: ignore[override]
        return self._facts

    @property
    def paper(self) -> str:  # type: ignore[override]
        return str(self._paper)

    def observation(self, step: int) -> tuple[str, Fact]:
        text, fact = self._module.make_observation(step)
        return text, Fact(fact.fid, fact.text, fact.value)

    def arguments(self, step: int) -> dict[str, Any]:
        return dict(self._module.action_args(step))


def _fact(place: int, value: str) -> Fact:
    name, unit = QUANTITIES[place % len(QUANTITIES)]
    if place < LIMITS:
        return Fact(f"K{place + 1:02d}", f"The {name} must not exceed {value} {unit} in any run", value, True)
    batch = f"batch {chr(65 + place // len(QUANTITIES))}{place % 7 + 1}"
    return Fact(f"K{place + 1:02d}", f"For {batch} the {name} was {value} {unit}", value)
