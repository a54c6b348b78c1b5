"""What the optimiser knows of a study, for the tools that ask it: from rows to its brief."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import UUID

from agents.core.brief import Brief
from agents.core.gates import Guidance
from agents.core.study import StudyProtocol
from agents.core.suggestions import Repeat, Suggestion
from agents.core.tools import ToolSpec
from agents.models import Event, Run
from agents.store.bridge import in_database
from agents.store.gates import vetoes_of
from agents.store.ledger import rows_for, rows_of

if TYPE_CHECKING:
    from agents.reasoners.optimiser import OptimiserReasoner


class StudyAdvisor:
    """Implements ``Advisor`` with the built-in optimiser, whichever reasoner the study has.

    It sees what the run that asks sees: its ledger, its vetoes and the guidance it was given. Modelling takes a
    thread, since the worker goes on meanwhile.
    """

    def __init__(self, protocol: StudyProtocol, optimiser: Callable[[], "OptimiserReasoner"]) -> None:
        self._protocol = protocol
        self._make = optimiser
        self._made: OptimiserReasoner | None = None

    async def suggest(self, run_id: str, tools: list[ToolSpec], count: int) -> list[Suggestion]:
        """Return up to ``count`` experiments to do next; see the port."""
        brief = await in_database(self._brief, run_id, tools)
        return await asyncio.to_thread(lambda: self._optimiser().suggest(brief, count))

    async def repeats(self, run_id: str, tools: list[ToolSpec], count: int) -> list[Repeat]:
        """Return up to ``count`` conditions to measure again; see the port."""
        brief = await in_database(self._brief, run_id, tools)
        return await asyncio.to_thread(lambda: self._optimiser().repeats(brief, count))

    def _optimiser(self) -> "OptimiserReasoner":
        if self._made is None:
            self._made = self._make()
        return self._made

    def _brief(self, run_id: str, tools: list[ToolSpec]) -> Brief:
        if not run_id:
            rows = rows_of(self._protocol.study_id)
            return Brief(protocol=self._protocol, round=len(rows) + 1, tools=tools, experiments=rows)
        run = Run.objects.get(pk=run_id)
        given = Event.objects.filter(run=run, kind="guidance.given").order_by("seq")
        return Brief(
            protocol=self._protocol,
            round=(run.round or 0) + 1,
            tools=tools,
            experiments=rows_for(run),
            vetoes=vetoes_of(UUID(run_id)),
            guidance=[Guidance(seq=event.seq, text=event.payload["text"]) for event in given],
        )
