"""How much memory this process may use, whether it is nearly that, and what it can let go of."""

import gc
import resource
from pathlib import Path

from django.conf import settings

MEGABYTE = 1024**2
SHARE = 0.85
"""Of a container's limit: beyond it the system may end the process without a word."""
_CGROUPS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
NO_LIMIT = 1 << 60


def limit() -> int | None:
    """Return the limit in bytes: ``DAYBOOK_MEMORY_MB``, else a share of the container's; None without one."""
    if settings.DAYBOOK_MEMORY_MB:
        return int(settings.DAYBOOK_MEMORY_MB * MEGABYTE)
    for path in _CGROUPS:
        try:
            text = path.read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal() and int(text) < NO_LIMIT:
            return int(int(text) * SHARE)
    return None


def used() -> int:
    """Return the bytes that this process has in memory now; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def pressure() -> str:
    """Return a sentence when this process uses more memory than it should, else an empty text."""
    most, now = limit(), used()
    if most is None or now <= most:
        return ""
    return f"This process uses {now // MEGABYTE} MB of memory, and {most // MEGABYTE} MB are meant for it."


def relieve() -> None:
    """Let go of what can be had again: the studies' tables and whatever nobody refers to."""
    from agents.store.ledger import forget_rows
    from agents.wiring import forget_tables

    forget_tables()
    forget_rows()
    gc.collect()
