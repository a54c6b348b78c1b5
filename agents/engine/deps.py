"""What the nodes are given: the ports and the protocol."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from agents.core.brief import Brief
from agents.core.errors import Refused
from agents.core.model_faults import OF_THE_ANSWER, sentence_of
from agents.core.ports import Clock, FindingBook, HistoryStore, Journal, Ledger, ModelUsage, Reasoner, Toolbox
from agents.core.study import StudyProtocol

log = logging.getLogger("daybook.engine")

UNFORESEEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What code raises over data that it did not expect; a database or machine that fails raises something else."""


async def no_wait(seconds: float) -> None:
    """Do not wait: what tests give for ``pause``."""


def no_pressure() -> str:
    """Never run short of memory."""
    return ""


def nothing_to_relieve() -> None:
    """Hold nothing that could be let go of."""


async def no_rules() -> None:
    """Hold no rule against anything: what tests give for ``weigh_rules``."""


def unwatched(node: str, round: int) -> AbstractContextManager[None]:
    """Watch nothing."""
    return nullcontext()


@dataclass(frozen=True)
class Deps:
    """The engine's only way to the world. ``pause`` sleeps between tries of a passing fault."""

    protocol: StudyProtocol
    reasoner: Reasoner
    journal: Journal
    ledger: Ledger
    book: FindingBook
    toolbox: Toolbox
    clock: Clock
    history: HistoryStore | None = None
    """Given when the run re-reads instead of remembering."""
    pause: Callable[[float], Awaitable[None]] = field(default=no_wait)
    pressure: Callable[[], str] = field(default=no_pressure)
    """Says in a sentence that memory runs short; empty while it does not."""
    relieve: Callable[[], None] = field(default=nothing_to_relieve)
    """Lets caches go."""
    weigh_rules: Callable[[], Awaitable[None]] = field(default=no_rules)
    """Holds the rules of the study against what was measured since."""
    watch: Callable[[str, int], AbstractContextManager[None]] = field(default=unwatched)
    """Called with node and round around each node, for the log."""


@dataclass
class RoundListener:
    """Passes what a reasoner says to the journal: tokens to people, calls to the bill."""

    journal: Journal
    round: int
    unusable: int = 0
    """Answers of the model so far that could not be used; what never came as an answer is not among them."""

    async def token(self, text: str) -> None:
        """Show a piece of output."""
        await self.journal.think(text)

    async def used(self, usage: ModelUsage) -> None:
        """Charge a call, with a sentence for people when its answer could not be used.

        Raises ``Refused`` when a further call would exceed a budget; a usable answer is paid and ends the asking.
        """
        told = usage.message or sentence_of(usage.fault)
        log.info("model called", extra=usage.model_dump(exclude={"message"}))
        self.unusable += usage.fault in OF_THE_ANSWER
        try:
            await self.journal.charge(usage.model_copy(update={"message": told}), round=self.round)
        except Refused:
            if usage.fault:
                raise


__all__ = ["UNFORESEEN", "Brief", "Deps", "RoundListener", "no_wait"]
