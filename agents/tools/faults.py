"""What a tool raised, as the fault that the caller reacts to."""

from typing import Literal

from agents.core.errors import BadInput, NotConfigured, NotFound, Refused, TimedOut, Transient
from agents.core.text import shorten

Fault = Literal["bad_input", "transient", "timeout", "output_invalid", "refused", "unknown"]


class InvalidOutput(Exception):
    """A tool returned something that its own output type does not allow."""


def fault_of(error: BaseException) -> tuple[Fault, str]:
    """Return the fault and the message for people. Unforeseen errors carry their kind in front."""
    message = shorten(str(error), 1000)
    if isinstance(error, InvalidOutput):
        return "output_invalid", message
    if isinstance(error, BadInput | NotFound):
        return "bad_input", message
    if isinstance(error, TimedOut | TimeoutError):
        return "timeout", message or "the tool ran out of time"
    if isinstance(error, Transient):
        return "transient", message
    if isinstance(error, Refused | NotConfigured):
        return "refused", message
    if isinstance(error, MemoryError):
        return "unknown", "the tool needed more memory than it may use"
    return "unknown", f"{type(error).__name__}: {message}" if message else type(error).__name__
