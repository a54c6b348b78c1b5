"""One root error, one child for each reaction of the caller."""

from typing import Any


class DaybookError(Exception):
    """The root: every error that Daybook raises on purpose."""


class BadInput(DaybookError):
    """The caller sent something that cannot be used: correct the field and send again.

    ``problems`` holds one dict a fault: ``field``, ``expected``, ``received``, ``message``.
    """

    def __init__(self, message: str, problems: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.problems = problems or []


class Unconfirmed(BadInput):
    """What was sent can be used, but is so unlikely that the person must say that it was really so."""


class NotFound(DaybookError):
    """Nothing by that name is visible to the caller."""


class Conflict(DaybookError):
    """Somebody was first: read what they did, then decide anew."""


class IllegalTransition(Conflict):
    """The run is in a state from which this change is not possible."""


class Fenced(DaybookError):
    """The worker's lease is over: stop at once and write nothing more."""


class Stopped(Fenced):
    """A person asked the run to stop or pause: end the drive without a further effect."""


class Yielded(Fenced):
    """The process is shutting down: give the run back before its next effect."""


class PolicyChanged(Fenced):
    """The policy that let something through was changed before that was stored: judge it anew, do nothing before."""


class Transient(DaybookError):
    """A passing fault outside: try again later. ``retry_after`` is in seconds when known."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TimedOut(Transient):
    """The work outlived its limit."""


class NotConfigured(DaybookError):
    """A choice needs a setting that is missing: the message says which and how to set it."""


class Refused(DaybookError):
    """A rule forbids it: policy, budget, constraint or stop switch."""


class Damaged(DaybookError):
    """Stored data is missing, unreadable or not what we wrote: do not go on from it; restore it, or start
    from an earlier point."""


class OutcomeUnknown(DaybookError):
    """An effect started and nobody knows whether it happened: ask a person."""

    def __init__(self, message: str, key: str, attempt: int) -> None:
        super().__init__(message)
        self.key = key
        self.attempt = attempt


class ModelFault(DaybookError):
    """A model answered nothing usable after the allowed asks.

    ``tries`` holds one dict an ask: ``fault`` (a name from the error taxonomy), ``message``, ``raw``
    (at most 2,000 characters of the answer).
    """

    def __init__(self, message: str, tries: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.tries = tries or []
