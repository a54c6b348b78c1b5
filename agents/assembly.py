"""Puts the engine together for one claimed run. Loaded by workers only."""

import asyncio
import functools
from datetime import UTC, datetime
from uuid import uuid4

from agents.core.ports import Reasoner, Toolbox
from agents.core.study import StudyProtocol
from agents.engine.deps import Deps
from agents.history import RunHistory
from agents.memory_limit import pressure, relieve
from agents.services.rules import weigh_rules
from agents.store.book import OrmFindingBook
from agents.store.bridge import in_database
from agents.store.journal import OrmJournal
from agents.store.lease import Lease
from agents.store.ledger import OrmLedger
from agents.store.saver import OrmSaver
from agents.trace import in_node
from agents.wiring import reasoner_for, toolbox_for


class SystemClock:
    """The system's time and random ids."""

    def now(self) -> str:
        """Return the time in UTC."""
        return datetime.now(UTC).isoformat()

    def new_id(self) -> str:
        """Return a random id."""
        return uuid4().hex


def saver_for(lease: Lease) -> OrmSaver:
    """Return the checkpoint saver of a run: a checkpoint is stored with the lease's next transaction.

    Each effect has one before it begins, so nothing outside ever happens that the checkpoints do not know of.
    """
    return OrmSaver(writing=lease.writing, pending=lease.pending, keeps_task_writes=False)


async def _weigh(protocol: StudyProtocol) -> None:
    await in_database(weigh_rules, protocol.study_id)


async def deps_for(lease: Lease, protocol: StudyProtocol) -> Deps:
    """Return the ports of a claimed run."""

    def build() -> tuple[Toolbox, Reasoner]:
        toolbox = toolbox_for(protocol)
        return toolbox, reasoner_for(protocol, toolbox)

    toolbox, reasoner = await in_database(build)
    return Deps(
        protocol=protocol,
        reasoner=reasoner,
        journal=OrmJournal(lease, protocol),
        ledger=OrmLedger(lease, protocol),
        book=OrmFindingBook(lease, protocol),
        toolbox=toolbox,
        clock=SystemClock(),
        history=RunHistory(lease, protocol) if protocol.memory == "full_history" else None,
        pause=asyncio.sleep,
        pressure=pressure,
        relieve=relieve,
        weigh_rules=functools.partial(_weigh, protocol),
        watch=in_node,
    )
