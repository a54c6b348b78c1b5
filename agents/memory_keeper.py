"""Keeps the findings index: opens it, feeds it, and rebuilds it from the rows when it was lost."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import close_old_connections, connection

from agents.core.errors import Transient
from agents.memory import count_indexed, forget_index, index_findings, use_store

if TYPE_CHECKING:
    from agents.adapters.chroma.store import ChromaFindingStore
    from agents.adapters.embeddings.base import Embedder

log = logging.getLogger("daybook.memory")

EVERY = 1.0
BACK_OFF = (1.0, 30.0)


@dataclass(frozen=True)
class Opened:
    """An open index. ``lost`` returns a token while findings are missing from it; ``found`` takes it back."""

    store: "ChromaFindingStore"
    lost: Callable[[], str]
    found: Callable[[str], None]


def keep_memory(stop: threading.Event) -> None:
    """Keep the index open and up to date until ``stop``. A fault is logged and tried again, never raised."""
    wait = BACK_OFF[0]
    while not stop.is_set():
        try:
            with _open() as opened:
                use_store(opened.store)
                _feed(opened, stop)
        except Exception as fault:
            log.warning(
                "the findings index is away (%s); search goes by words, trying again in %.0f s", fault, wait
            )
            stop.wait(wait)
            wait = min(BACK_OFF[1], wait * 2)
        finally:
            use_store(None)
    connection.close()


@contextmanager
def _open() -> Iterator[Opened]:
    # Chroma and the embedding model cost seconds at import.
    from agents.adapters.chroma.child import ChromaChild
    from agents.adapters.chroma.client import connect
    from agents.adapters.chroma.store import ChromaFindingStore

    if settings.CHROMA_URL:
        store = ChromaFindingStore(lambda: connect(settings.CHROMA_URL), embedder())
        yield Opened(store, lost=lambda: "", found=lambda token: None)
        return
    child = ChromaChild(Path(settings.DAYBOOK_HOME) / "chroma")
    child.start()
    try:
        child.wait_ready()
        store = ChromaFindingStore(child.connect, embedder(), on_fault=child.inspect)
        yield Opened(store, lost=child.rebuild_token, found=child.mark_rebuilt)
    finally:
        child.stop()


def embedder() -> "Embedder":
    """Return the embedding model that the site chose: offline unless one is named."""
    from agents.adapters.embeddings.choose import embedder_for

    return embedder_for(
        settings.EMBEDDINGS_MODEL, api_key=settings.OPENAI_API_KEY, base_url=settings.OPENAI_BASE_URL
    )


def _feed(opened: Opened, stop: threading.Event) -> None:
    is_checked = False
    while not stop.is_set():
        close_old_connections()
        try:
            # Another embedding model has a collection of its own, empty at first.
            if not is_checked and not async_to_sync(opened.store.count)() and count_indexed():
                forget_index()
            is_checked = True
            _rebuild_if_lost(opened)
            while not stop.is_set() and index_findings(opened.store):
                pass
        except Transient as fault:
            log.info("the findings index does not answer: %s", fault)
        stop.wait(EVERY)


def _rebuild_if_lost(opened: Opened) -> None:
    token = opened.lost()
    if not token:
        return
    count = forget_index()
    if count:
        log.info("the findings index is incomplete; rebuilding %d findings from the rows", count)
    while index_findings(opened.store):
        pass
    opened.found(token)
