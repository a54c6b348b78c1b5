"""``suggest_next`` and ``replicate``: what the optimiser would do, for whoever decides."""

from collections.abc import Callable
from typing import Annotated, Protocol

from pydantic import BaseModel, Field

from agents.core.suggestions import Repeat, Suggestion
from agents.core.tools import EffectClass, ToolSpec
from agents.tools.context import run_id
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool


class Advisor(Protocol):
    """What knows the study's measurements. ``tools`` are the experiment tool, as the study has it."""

    async def suggest(self, run_id: str, tools: list[ToolSpec], count: int) -> list[Suggestion]:
        """Return up to ``count`` open experiments, best first, as the run ``run_id`` (empty: the study) sees them."""

    async def repeats(self, run_id: str, tools: list[ToolSpec], count: int) -> list[Repeat]:
        """Return up to ``count`` measured conditions that are worth a declared replicate, best first."""


class Suggestions(BaseModel):
    """Experiments, best first. ``note`` says so when none is open."""

    suggestions: list[Suggestion]
    note: str = ""


class Repeats(BaseModel):
    """Conditions to repeat, best first. ``note`` says so when none is worth it."""

    repeats: list[Repeat]
    note: str = ""


def advice_tools(advisor: Advisor, experiment: Callable[[], ToolSpec | None]) -> list[Tool]:
    """Return the tools that ask ``advisor``; ``experiment`` returns the study's experiment tool."""

    def tools() -> list[ToolSpec]:
        found = experiment()
        return [] if found is None else [found]

    @tool(category="design", effect=EffectClass.LOCAL, in_process=True, timeout_s=60, duration_s=5)
    async def suggest_next(count: Annotated[int, Field(ge=1, le=5)] = 3) -> Suggestions:
        """Suggest the next experiments: predicted mean, 90 % interval, expected gain and reason of each.

        Chosen by the optimiser from all measurements; none repeats what was measured or vetoed.
        """
        found = await advisor.suggest(run_id(), tools(), count)
        note = "" if found else "Every legal candidate was measured, is planned or was vetoed."
        return Suggestions(suggestions=found, note=note)

    @tool(category="design", effect=EffectClass.LOCAL, in_process=True, timeout_s=60, duration_s=5)
    async def replicate(count: Annotated[int, Field(ge=1, le=5)] = 1) -> Repeats:
        """Say which measured conditions are worth a declared replicate, and why.

        Propose them with is_replicate set; otherwise a repetition is refused.
        """
        found = await advisor.repeats(run_id(), tools(), count)
        note = (
            "" if found else "No measured condition is worth a replicate: repeating would tell nothing new."
        )
        return Repeats(repeats=found, note=note)

    return [tool_of(suggest_next), tool_of(replicate)]
