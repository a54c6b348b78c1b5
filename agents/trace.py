"""What a worker does, for the structured log: which run, round and node, and how long it took."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from structlog.contextvars import bound_contextvars

from agents.models import Run

log = logging.getLogger("daybook.trace")


@contextmanager
def driving(run: Run, *, epoch: int) -> Iterator[dict[str, Any]]:
    """Put the run's name on every line that is logged meanwhile, and log the drive's end with its length.

    The caller puts the run's new ``status`` into the yielded dict.
    """
    told: dict[str, Any] = {"status": "lost"}
    with bound_contextvars(run=str(run.pk), study=run.study.slug, number=run.number, epoch=epoch):
        log.info("drive began")
        started = time.monotonic()
        try:
            yield told
        finally:
            log.info("drive ended", extra={"seconds": _since(started), **told})


@contextmanager
def in_node(node: str, round: int) -> Iterator[None]:
    """Put node and round on every line that is logged meanwhile, and log the node's end with its length."""
    with bound_contextvars(node=node, round=round):
        started, ended = time.monotonic(), "done"
        try:
            yield
        except BaseException as fault:
            # A pause at a gate leaves a node by an exception, too: its name says which it was.
            ended = type(fault).__name__
            raise
        finally:
            log.info("node ended", extra={"seconds": _since(started), "outcome": ended})


def _since(started: float) -> float:
    return round(time.monotonic() - started, 4)
