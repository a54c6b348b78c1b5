"""The states of a run and the only ways between them."""

from enum import StrEnum

from agents.core.errors import IllegalTransition


class RunStatus(StrEnum):
    """Where a run stands. A waiting run holds nothing: waiting is a row."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED})

TRANSITIONS: dict[RunStatus, frozenset[RunStatus]] = {
    RunStatus.QUEUED: frozenset({RunStatus.RUNNING, RunStatus.CANCELLED, RunStatus.PAUSED}),
    RunStatus.RUNNING: frozenset(
        {
            RunStatus.WAITING,
            RunStatus.QUEUED,
            RunStatus.SUCCEEDED,
            RunStatus.FAILED,
            RunStatus.CANCELLED,
            RunStatus.PAUSED,
        }
    ),
    RunStatus.WAITING: frozenset({RunStatus.QUEUED, RunStatus.CANCELLED, RunStatus.PAUSED}),
    RunStatus.PAUSED: frozenset({RunStatus.QUEUED, RunStatus.WAITING, RunStatus.CANCELLED}),
    RunStatus.FAILED: frozenset({RunStatus.QUEUED}),
    RunStatus.SUCCEEDED: frozenset(),
    RunStatus.CANCELLED: frozenset(),
}


def check_transition(old: RunStatus, new: RunStatus) -> None:
    """Raise ``IllegalTransition`` unless a run may go from ``old`` to ``new``."""
    if new not in TRANSITIONS[old]:
        allowed = ", ".join(sorted(TRANSITIONS[old])) or "nothing, it has ended"
        raise IllegalTransition(f"the run is {old}; it cannot become {new} (possible: {allowed})")
