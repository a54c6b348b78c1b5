"""A rate limit: so many starts in any minute."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable

from agents.core.errors import Transient

MINUTE = 60.0


class RateLimit:
    """At most ``per_minute`` starts in any 60 seconds; may be shared by threads.

    A rate under one means one start every ``60 / per_minute`` seconds. ``clock`` returns seconds and never
    runs backwards.
    """

    def __init__(self, name: str, per_minute: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        if not per_minute > 0:
            raise ValueError(f"the rate of {name!r} must be above 0 a minute, got {per_minute}")
        self.name = name
        self.per_minute = per_minute
        self._most = max(1, int(per_minute))
        self._window = MINUTE * self._most / per_minute
        self._clock = clock
        self._starts: deque[float] = deque(maxlen=self._most)
        self._lock = threading.Lock()

    def admit(self) -> None:
        """Count a start, or raise ``Transient`` with the seconds until one is allowed."""
        with self._lock:
            now = self._clock()
            if len(self._starts) == self._most:
                wait = self._starts[0] + self._window - now
                if wait > 0:
                    raise Transient(
                        f"{self.name} may be called {self.per_minute:g} times a minute; "
                        f"the next call is possible in {math.ceil(wait)} s",
                        retry_after=wait,
                    )
            self._starts.append(now)
