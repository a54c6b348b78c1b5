"""A reasoner that says what a test wrote for it."""

from collections.abc import Callable, Sequence
from typing import Any

from agents.core.brief import Brief, WholeMemory
from agents.core.digest import Digest, ParsedDocument
from agents.core.ports import Listener, ModelUsage
from agents.core.proposal import Finish, Hypothesis, MemoryOperation, Proposal, Turn

Script = Callable[[Brief], Turn | Exception] | Sequence[Turn | Exception]
"""A function of the brief, or the replies in order, the last one repeated. An exception is raised."""


def propose(
    tool: str, *, hypothesis: str = "more is better", is_replicate: bool = False, **arguments: Any
) -> Turn:
    """Return a turn that proposes to call ``tool``."""
    claim = Hypothesis(text=hypothesis, refuted_by="less is better")
    action = {"tool": tool, "arguments": arguments}
    return Turn(
        proposal=Proposal(hypothesis=claim, action=action, reason="to see", is_replicate=is_replicate)
    )


def finish(answer: str = "It is so.", *findings: str) -> Turn:
    """Return a turn that proposes to end the run."""
    return Turn(finish=Finish(answer=answer, findings=list(findings)))


class ScriptedReasoner:
    """Implements the ``Reasoner`` port. ``briefs`` holds what it was given, oldest first.

    With ``usage`` it counts as a model that calls out: each proposal reports that usage.
    """

    name = "scripted"

    def __init__(
        self,
        script: Script,
        *,
        usage: ModelUsage | None = None,
        reflects: Callable[[Brief], list[MemoryOperation]] = lambda brief: [],
        tidies: Callable[[WholeMemory], list[MemoryOperation]] = lambda whole: [],
    ) -> None:
        self.calls_out = usage is not None
        self.briefs: list[Brief] = []
        self._script = script
        self._usage = usage
        self._reflects = reflects
        self._tidies = tidies
        self.wholes: list[WholeMemory] = []

    async def aclose(self) -> None:
        """Hold nothing, let go of nothing."""

    async def digest(
        self, document: ParsedDocument, *, document_id: str, goal: str, listener: Listener
    ) -> Digest:
        """Return an empty digest."""
        return Digest(how="extractive")

    async def propose(self, brief: Brief, listener: Listener) -> Turn:
        """Return what the script says to ``brief``."""
        number = len(self.briefs)
        self.briefs.append(brief)
        if self._usage is not None:
            await listener.token("thinking")
            await listener.used(self._usage)
        if callable(self._script):
            reply = self._script(brief)
        else:
            reply = self._script[min(number, len(self._script) - 1)]
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def reflect(self, brief: Brief) -> list[MemoryOperation]:
        """Return the memory operations that the test gave."""
        return self._reflects(brief)

    async def tidy(self, brief: Brief, whole: WholeMemory, listener: Listener) -> list[MemoryOperation]:
        """Return the memory operations that the test gave."""
        self.wholes.append(whole)
        if self._usage is not None:
            await listener.used(self._usage)
        return self._tidies(whole)

    async def summarise(self, brief: Brief, listener: Listener) -> str:
        """Return one sentence."""
        return f"Ended after round {brief.round}."
