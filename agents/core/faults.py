"""Named places where a test may kill the process, since random kills miss the narrow ones."""

import os
import signal
import threading

POINTS: tuple[str, ...] = (
    "before_ledger",
    "after_ledger",
    "after_effect",
    "after_result",
    "before_checkpoint",
    "after_checkpoint",
    "after_gate",
    "in_decision",
    "after_decision",
    "on_resume",
    "before_park",
)

_lock = threading.Lock()
_armed: dict[str, int] = {}


def arm(spec: str) -> None:
    """Arm ``point:n`` (kill at the n-th pass) or disarm with an empty text.

    Raises ``ValueError`` for a point that does not exist.
    """
    _armed.clear()
    if not spec:
        return
    point, _, count = spec.partition(":")
    if point not in POINTS:
        raise ValueError(f"DAYBOOK_FAULT names {point!r}; the points are {', '.join(POINTS)}")
    _armed[point] = int(count or 1)


def fault_point(point: str) -> None:
    """Kill this process with SIGKILL when ``point`` is armed and its count is reached."""
    if not _armed:
        return
    with _lock:
        left = _armed.get(point)
        if left is None:
            return
        _armed[point] = left - 1
    if left <= 1:
        os.kill(os.getpid(), signal.SIGKILL)
