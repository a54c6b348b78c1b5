"""The same tests over the shipped doubles and the real thing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction

from agents.core.gates import Answer
from agents.core.ports import FindingBook, Journal, Ledger
from agents.models import Event, Gate, Run
from agents.services import deliver, give_guidance
from agents.store.book import OrmFindingBook
from agents.store.ledger import OrmLedger
from agents.testing.journal import MemoryJournal
from agents.testing.notebook import MemoryBook, MemoryLedger
from agents.testing.toolbox import TOY_OBJECTIVE
from tests.support import journal_of, lose, make_run, take


@dataclass
class Kit:
    """The ports of one run, and what people and fate do to it."""

    journal: Journal
    ledger: Ledger
    book: FindingBook
    log: Callable[[], list[tuple[str, str | None]]]
    """Kind and key of each event that a worker or a person caused, in order."""
    answer: Callable[[str, Answer], Any]
    guide: Callable[[str], int]
    wish: Callable[[str], Any]
    store: Callable[[], Any]
    """Store what was emitted, as the next effect, gate or checkpoint does."""
    crash: Callable[[], "Kit"]
    """Lose the worker; return what the next one works with."""
    lose: Callable[[], Any]
    """Let another worker take the run; this kit is stale afterwards."""


def double_kit(policy: str) -> Kit:
    journal = MemoryJournal(policy=policy)
    ledger = MemoryLedger(journal, objectives=[TOY_OBJECTIVE])
    book = MemoryBook(journal)

    def kit() -> Kit:
        return Kit(
            journal=journal,
            ledger=ledger,
            book=book,
            log=lambda: [(event.kind, event.key) for event in journal.events],
            answer=journal.answer,
            guide=journal.guide,
            wish=lambda wish: setattr(journal, "wish", wish),
            store=journal.check,
            crash=kit,
            lose=lambda: setattr(journal, "is_fenced", True),
        )

    return kit()


def orm_kit(policy: str) -> Kit:
    run = make_run(policy=policy)

    def log() -> list[tuple[str, str | None]]:
        rows = Event.objects.filter(run=run).exclude(kind__startswith="run.").order_by("seq")
        return list(rows.values_list("kind", "key"))

    def answer(key: str, given: Answer) -> None:
        gate = Gate.objects.get(run=run, key=key)
        with transaction.atomic():
            deliver(gate, given, shown_digest=gate.digest)

    def crash() -> Kit:
        lose(run)
        return kit()

    def kit() -> Kit:
        lease = take(run)
        journal = journal_of(lease)

        def store() -> None:
            with lease.writing():
                pass

        return Kit(
            journal=journal,
            ledger=OrmLedger(lease, journal._protocol),
            book=OrmFindingBook(lease, journal._protocol),
            log=log,
            answer=answer,
            guide=lambda text: give_guidance(run.pk, text=text, by="ana"),
            wish=lambda wish: Run.objects.filter(pk=run.pk).update(wish=wish),
            store=store,
            crash=crash,
            lose=crash,
        )

    return kit()


@pytest.fixture(params=["double", "orm"])
def make_kit(request, db) -> Callable[..., Kit]:
    made = double_kit if request.param == "double" else orm_kit
    return lambda policy="every_step": made(policy)


@pytest.fixture
def kit(make_kit) -> Kit:
    return make_kit()
