"""Keeps the findings index: opens it, feeds it, and rebuilds it from the rows when it was lost."""

import logging
import threading
from pathlib import Path

from django.conf import settings
from django.db import close_old_connections, connection

from agents.memory import forget_index, index_findings, use_store

log = logging.getLogger("daybook.memory")

EVERY = 1.0
BACK_OFF = (1.0, 30.0)


def keep_memory(stop: threading.Event) -> None:
    """Keep the index open and up to date until ``stop``. A fault is logged and tried again, never raised."""
    wait = BACK_OFF[0]
    while not stop.is_set():
        try:
            _keep(stop)
            wait = BACK_OFF[0]
        except Exception as fault:
            use_store(None)
            log.warning("the findings index is away (%s); search goes by words, trying again in %.0f s", fault, wait)
            stop.wait(wait)
            wait = min(BACK_OFF[1], wait * 2)
    use_store(None)
    connection.close()


def _keep(stop: threading.Event) -> None:
    from agents.adapters.chroma import open_memory  # Chroma costs seconds at import

    with open_memory(
        home=Path(settings.DAYBOOK_HOME) / "chroma",
        url=settings.CHROMA_URL,
        embeddings=settings.EMBEDDINGS_MODEL,
        api_key=settings.OPENAI_API_KEY,
        base_url=settings.OPENAI_BASE_URL,
    ) as memory:
        close_old_connections()
        if memory.is_empty():
            forget_index()
        use_store(memory.store)
        while not stop.wait(EVERY):
            close_old_connections()
            memory.check()
            while index_findings(memory.store):
                pass
