"""What a running tool may know of its call."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_key: ContextVar[str] = ContextVar("daybook_idempotency_key", default="")


def idempotency_key() -> str:
    """Return the key of the call that is running: the same when an interrupted call is sent again.

    A tool of effect class ``keyed`` hands it to its service. Empty outside a call.
    """
    return _key.get()


def run_id() -> str:
    """Return the id of the run that makes the call: its idempotency key begins with it. Empty outside a run."""
    run, colon, _ = _key.get().partition(":")
    return run if colon else ""


@contextmanager
def calling(key: str) -> Iterator[None]:
    """Make ``key`` the key of the calls inside."""
    token = _key.set(key)
    try:
        yield
    finally:
        _key.reset(token)
