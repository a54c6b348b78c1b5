"""The kinds of event a run's log may hold, and what each one says.

A payload is checked when it is written. Reading never refuses: unknown fields and unknown kinds of an
older or newer release stay readable, so old logs load for ever.
"""

from agents.core.events.kinds import KINDS, EventKind, check_payload

__all__ = ["KINDS", "EventKind", "check_payload"]
