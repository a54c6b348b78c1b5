"""What the engine knows of a tool: its specification and its result."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from agents.core.science import Value


class EffectClass(StrEnum):
    """What may be done with an effect that started and was not seen to finish.

    ``local``: nothing outside changes, it may simply run again. ``keyed``: the service honours our
    idempotency key, so it may be sent again with the same key. ``blind``: never repeated by itself.
    """

    LOCAL = "local"
    KEYED = "keyed"
    BLIND = "blind"


class ToolSpec(Value):
    """A tool as the reasoner, the gate and the review card see it. Schemas are JSON Schema."""

    name: str
    version: str = "1"
    title: str = ""
    description: str = ""
    category: str = "general"
    input_schema: dict[str, Any] = Field(default_factory=dict)
    output_schema: dict[str, Any] = Field(default_factory=dict)
    effect: EffectClass = EffectClass.BLIND
    executor: Literal["machine", "person", "instrument"] = "machine"
    """Who does it. An ``instrument`` takes a job from the machine and reports days later: the run waits for it
    as it waits for a person, who may also enter the result."""
    origin: str = ""
    """Where the tool comes from when it is not built in, in words for people."""
    needs_review: bool = False
    """True when a call always goes to a person, whatever the policy says."""
    is_experiment: bool = False
    """True when a call is an experiment of the study: it passes the ledger gate and is filed there."""
    cost: float = 0.0
    duration_s: float = 1.0
    timeout_s: float = 30.0
    risk: Literal["low", "medium", "high"] = "low"
    is_reversible: bool = True
    cacheable: bool = False
    fallback: str = ""
    """The tool that answers when this one keeps timing out: see ``may_stand_in``. Its answer is marked as such."""
    may_repeat: bool = False
    """True for a tool that is meant to be called in a batch: the repeat guard leaves it alone."""
    parallel_safe: bool = False
    """True when calls may run beside each other and beside other tools' calls."""
    rate_per_minute: float | None = None
    """Calls that a process may start in a minute; None is no limit."""
    retries: int = 2
    """How often a passing fault is tried again, where the effect class allows it."""
    examples: list[dict[str, Any]] = Field(default_factory=list)

    @property
    def is_pure(self) -> bool:
        """True when anybody may call it to see what it does: it changes nothing, costs nothing and needs nobody."""
        is_free = self.effect is EffectClass.LOCAL and self.executor == "machine" and not self.cost
        return is_free and self.risk == "low" and not self.needs_review and not self.is_experiment


def may_stand_in(fallback: ToolSpec, asked: ToolSpec) -> str:
    """Return why ``fallback`` may not answer in place of ``asked``, or an empty text.

    What was approved is the tool that was asked: another one may only do what needs no approval.
    """
    if fallback.effect is not EffectClass.LOCAL or fallback.executor != "machine":
        return f"{fallback.name} changes something outside, which nobody approved"
    if fallback.risk != "low" or fallback.cost or fallback.needs_review:
        return f"{fallback.name} has a risk or a cost of its own, which nobody approved"
    if fallback.is_experiment != asked.is_experiment:
        return f"only one of {asked.name} and {fallback.name} is an experiment"
    return ""


class Action(Value):
    """A tool name and its arguments."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class CheckedAction(Value):
    """An action that passed the gate: typed arguments, and the coercions that were made."""

    action: Action
    coercions: list[dict[str, Any]] = Field(default_factory=list)
    """One dict a change: ``field``, ``received``, ``used``."""


class ToolResult(Value):
    """The ``success`` / ``error_message`` contract of every tool call.

    ``fault`` names the reaction when it failed: bad_input, transient, timeout, output_invalid, unknown.
    ``summary`` is one sentence for memory and people. ``artifacts`` are content hashes.
    """

    success: bool
    data: dict[str, Any] = Field(default_factory=dict)
    error_message: str = ""
    fault: Literal["", "bad_input", "transient", "timeout", "output_invalid", "refused", "unknown"] = ""
    summary: str = ""
    artifacts: list[str] = Field(default_factory=list)
    tool: str = ""
    version: str = ""
    duration_s: float = 0.0
    cached: bool = False
    cost: float = 0.0
    """What this use cost, in the money of the budget; nothing when nothing was called."""
    substitute: Literal["", "cached", "fallback"] = ""
    """What answered in place of the tool that was asked, and timed out; ``told`` says it to people."""
    told: str = ""
    started: bool = True
    """False when the call was put off before anything was done, so that it cannot have happened."""
