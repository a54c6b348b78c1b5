"""A clock that stands still until it is told to go on."""


class FixedClock:
    """Implements the ``Clock`` port: the time is what it was set to, ids count up from 1."""

    def __init__(self, at: str = "2026-01-02T03:04:05+00:00") -> None:
        self.at = at
        self._ids = 0

    def now(self) -> str:
        """Return the time that was set."""
        return self.at

    def new_id(self) -> str:
        """Return the next id: 32 hex digits."""
        self._ids += 1
        return f"{self._ids:032x}"
