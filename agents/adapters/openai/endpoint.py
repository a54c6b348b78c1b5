"""What is known of an endpoint while the process lives: whether it works and what it honours."""

import threading
from dataclasses import dataclass, field
from typing import Literal

from agents.core.breaker import Breaker, BreakerHealth
from agents.core.model import ReplyMode

LADDER: tuple[ReplyMode, ...] = ("json_schema", "tool", "text")
STRIKES = 2
"""A way of asking that worked before is given up after this many disregarded requests in a row."""


@dataclass
class Abilities:
    """What one model at one endpoint honours. Nothing is believed until it was seen or refused."""

    can_stream: bool = True
    reports_usage: bool = True
    _honoured: dict[ReplyMode, bool] = field(default_factory=dict)
    _strikes: dict[ReplyMode, int] = field(default_factory=dict)

    def mode(self) -> ReplyMode:
        """Return the best way of asking for a structured answer that is not known to fail."""
        return next(mode for mode in LADDER if mode == "text" or self._honoured.get(mode, True))

    def knows(self, mode: ReplyMode) -> bool | None:
        """Return whether ``mode`` is honoured; None while nobody has seen."""
        return self._honoured.get(mode)

    def refused(self, mode: ReplyMode) -> None:
        """The server said no to ``mode``."""
        self._honoured[mode] = False

    def seen(self, mode: ReplyMode, *, honoured: bool) -> None:
        """The server answered a request in ``mode``; ``honoured`` says whether in the shape asked for."""
        if honoured:
            self._honoured[mode] = True
            self._strikes[mode] = 0
            return
        self._strikes[mode] = self._strikes.get(mode, 0) + 1
        if not self._honoured.get(mode) or self._strikes[mode] >= STRIKES:
            self._honoured[mode] = False


class Endpoint:
    """One base URL: its breaker, and the abilities of its models."""

    def __init__(self, base_url: str) -> None:
        self.breaker = Breaker(f"The model server at {base_url}")
        self._abilities: dict[str, Abilities] = {}

    def abilities(self, model: str) -> Abilities:
        """Return what is known of ``model`` here."""
        return self._abilities.setdefault(model, Abilities())

    def forget(self, model: str) -> None:
        """Start to learn ``model`` anew, as after a new version of the server."""
        self._abilities.pop(model, None)


_endpoints: dict[str, Endpoint] = {}
_lock = threading.Lock()


def endpoint_at(base_url: str) -> Endpoint:
    """Return the one ``Endpoint`` of ``base_url``: shared, so that a failing server rests for every run."""
    with _lock:
        return _endpoints.setdefault(base_url, Endpoint(base_url))


def endpoint_health() -> list[BreakerHealth]:
    """Return the state of every endpoint used so far, for the Tools page."""
    with _lock:
        return [endpoint.breaker.health() for endpoint in _endpoints.values()]


def forget_endpoints() -> None:
    """Forget all endpoints: for tests, whose servers reuse ports."""
    with _lock:
        _endpoints.clear()


ProblemKind = Literal["transient", "format", "usage", "streaming", "window", "configuration", "request"]
"""What a failed call asks for: wait / another way of asking / no usage / no stream / a shorter prompt /
a person / a look at the request."""


class CallProblem(Exception):
    """A call that gave no reply, sorted by what to do about it. Never leaves the adapter."""

    def __init__(
        self,
        kind: ProblemKind,
        fault: str,
        message: str,
        *,
        retry_after: float | None = None,
        limit: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.fault = fault
        self.retry_after = retry_after
        self.limit = limit
