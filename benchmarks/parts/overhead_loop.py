"""The loop that the overhead benchmark measures: a reasoner and tools that do nothing, a result of 300 tokens."""

import hashlib
import random
import time
from typing import Any

from agents.core.brief import Brief
from agents.core.budget import Budget
from agents.core.digest import Digest, ParsedDocument
from agents.core.ports import Listener, ModelUsage
from agents.core.proposal import MemoryOperation, Turn
from agents.core.tools import EffectClass
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import WEIGH, ToyTool, ToyToolbox, toy_spec

STEPS_A_ROUND = 4
"""Nodes executed a round: reason, review, act, update."""

EXPERIMENT_EVERY = 8
"""Every so many rounds the tool is an experiment: without one for longer, a person would be asked."""

UNLIMITED = Budget(rounds=None, experiments=None, tokens=None)
USAGE = ModelUsage(role="reason", model="none", prompt_tokens=1, completion_tokens=1)


def observation(round: int) -> str:
    """Return a measurement log of about 300 tokens."""
    rng = random.Random(round)
    rows = [
        f"t={i * 30}s T={rng.uniform(290, 480):.1f}K p={rng.uniform(0.9, 5):.2f}bar flow={rng.randint(10, 90)}ml/min"
        for i in range(12)
    ]
    return f"run {round} finished. yield={rng.uniform(0, 100):.4f} %. status=ok.\n" + "\n".join(rows)


def note_of(round: int) -> str:
    """Return arguments that no loop guard takes for a repeat."""
    return hashlib.sha256(str(round).encode()).hexdigest()


class NoOp:
    """Implements the ``Reasoner`` port: proposes at once, for ``rounds`` rounds. ``stamps`` are the times it was asked."""

    name = "no-op"
    calls_out = True

    def __init__(self, rounds: int) -> None:
        self.stamps: list[float] = []
        self._rounds = rounds

    async def digest(
        self, document: ParsedDocument, *, document_id: str, goal: str, listener: Listener
    ) -> Digest:
        """Return an empty digest."""
        return Digest(how="language model")

    async def propose(self, brief: Brief, listener: Listener) -> Turn:
        """Propose the next call without a thought."""
        self.stamps.append(time.perf_counter())
        await listener.used(USAGE)
        if brief.round > self._rounds:
            return finish("It is done.")
        if brief.round % EXPERIMENT_EVERY == 0:
            return propose("weigh", dose=brief.round * 7)
        return propose("note", text=note_of(brief.round))

    async def reflect(self, brief: Brief) -> list[MemoryOperation]:
        """Change nothing."""
        return []

    async def summarise(self, brief: Brief, listener: Listener) -> str:
        """Say nothing of note."""
        return "done"

    async def aclose(self) -> None:
        """Hold nothing."""


def toolbox() -> ToyToolbox:
    """Return the two tools; both are blind, the class with the most bookkeeping."""
    told = {"round": 0}

    def seen() -> str:
        told["round"] += 1
        return observation(told["round"])

    def note(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"text": seen()}

    def weigh(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"mass": arguments["dose"] / 10, "text": seen()}

    blind = EffectClass.BLIND
    return ToyToolbox(
        [
            ToyTool(toy_spec("note", "text", effect=blind, may_repeat=True), note),
            ToyTool(WEIGH.spec.model_copy(update={"effect": blind}), weigh),
        ]
    )
