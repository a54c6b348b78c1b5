"""Long-term memory: does the index hold what the rows say?"""

import json
from collections.abc import Iterator
from pathlib import Path

from asgiref.sync import async_to_sync
from django.conf import settings

from agents.core.errors import DaybookError
from agents.doctor.registry import Level, Look, Remark, check
from agents.memory import INDEXED, forget_index
from agents.models import Finding

SERVER = "A running `manage.py serve` does so by itself within seconds."


@check("findings", order=70)
def findings(look: Look) -> Iterator[Remark]:
    """Compare the index of findings with the rows, when a server of it answers."""
    waiting = Finding.objects.filter(is_indexed=False).count()
    if waiting:
        yield Remark(Level.WARN, f"{waiting:,} findings wait to be put into the index.", todo=SERVER)
    url = address()
    if not url:
        count = Finding.objects.filter(status__in=INDEXED).count()
        what = f"{count:,} findings as rows; the index is not open now, so it was not compared"
        yield Remark(Level.OK, what, str(folder()))
        return
    yield from _compare(url, look)


def folder() -> Path:
    """Return the folder of the local index."""
    return Path(settings.DAYBOOK_HOME) / "chroma"


def address() -> str:
    """Return where a server of the index answers: the one of the settings, or the local one of a running site."""
    if settings.CHROMA_URL:
        return str(settings.CHROMA_URL)
    from agents.adapters.chroma.probe import is_alive

    lock = folder().with_name("chroma.lock")
    try:
        port = json.loads(lock.read_text()).get("port")
    except (OSError, ValueError, AttributeError):
        return ""
    return f"http://127.0.0.1:{port}" if isinstance(port, int) and is_alive(port) else ""


def _compare(url: str, look: Look) -> Iterator[Remark]:
    # Chroma and the embedding model cost seconds at import.
    from agents.adapters.chroma.client import connect
    from agents.adapters.chroma.store import ChromaFindingStore
    from agents.memory_keeper import embedder

    store = ChromaFindingStore(lambda: connect(url), embedder())
    try:
        problem = async_to_sync(store.healthy)()
        held = async_to_sync(store.ids)()
    except DaybookError as fault:
        yield Remark(Level.WARN, f"{fault}. Findings are searched by words meanwhile.", url)
        return
    kept = {
        str(pk)
        for pk in Finding.objects.filter(is_indexed=True, status__in=INDEXED).values_list("pk", flat=True)
    }
    missing, extra = len(kept - held), len(held - _known())
    if problem or missing or extra:
        what = problem or f"The index lacks {missing:,} findings and holds {extra:,} that no row knows."
        mended = f"marked {forget_index():,} findings to be put in again" if look.repair else ""
        yield Remark(Level.FAIL, what, url, "manage.py doctor --repair (or reindex --findings)", mended)
    else:
        yield Remark(Level.OK, f"the index holds the {len(kept):,} findings that it should", url)


def _known() -> set[str]:
    return {str(pk) for pk in Finding.objects.values_list("pk", flat=True)}
