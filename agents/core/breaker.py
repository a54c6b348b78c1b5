"""A circuit breaker: after too many failures in a row, stop calling for a while and then try once."""

import math
import threading
import time
from collections.abc import Callable
from typing import Literal

from agents.core.errors import Transient
from agents.core.science import Value

BreakerState = Literal["closed", "open", "half-open"]


class BreakerHealth(Value):
    """What a person sees of a breaker. ``retry_in`` is in seconds, 0 unless it is open."""

    name: str
    state: BreakerState
    failures: int
    retry_in: float = 0.0


class Breaker:
    """Guards one tool or one endpoint; may be shared by threads.

    Closed: every call passes. After ``threshold`` failures in a row it opens: no call passes for ``rest_s``
    seconds. Then it is half-open: one call passes as a probe; its success closes the breaker, its failure
    opens it again. A probe that never reports (its task was cancelled) is forgotten after ``rest_s``.
    ``clock`` returns seconds and never runs backwards.
    """

    def __init__(
        self,
        name: str,
        *,
        threshold: int = 5,
        rest_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if threshold < 1 or rest_s <= 0:
            raise ValueError(
                f"breaker {name!r} needs threshold >= 1 and rest_s > 0, got {threshold}, {rest_s}"
            )
        self.name = name
        self._threshold = threshold
        self._rest_s = rest_s
        self._clock = clock
        self._failures = 0
        self._blocked_until: float | None = None
        self._lock = threading.Lock()

    def admit(self) -> None:
        """Let a call start, or raise ``Transient`` with the seconds until the next one may."""
        with self._lock:
            if self._blocked_until is None:
                return
            wait = self._blocked_until - self._clock()
            if wait > 0:
                raise Transient(
                    f"{self.name} failed {self._failures} times in a row, so it is left alone for a while; "
                    f"the next attempt is possible in {math.ceil(wait)} s",
                    retry_after=wait,
                )
            # This caller is the probe; everyone else waits for its outcome.
            self._blocked_until = self._clock() + self._rest_s

    def succeeded(self) -> None:
        """Record that an admitted call worked."""
        with self._lock:
            self._failures = 0
            self._blocked_until = None

    def failed(self) -> None:
        """Record that an admitted call failed."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._threshold:
                self._blocked_until = self._clock() + self._rest_s

    def health(self) -> BreakerHealth:
        """Return the present state for display."""
        with self._lock:
            wait = 0.0 if self._blocked_until is None else self._blocked_until - self._clock()
            state: BreakerState = "closed"
            if self._blocked_until is not None:
                state = "open" if wait > 0 else "half-open"
            return BreakerHealth(
                name=self.name, state=state, failures=self._failures, retry_in=max(0.0, wait)
            )
