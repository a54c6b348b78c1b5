"""Why a reply cannot be used."""

from typing import Any

from agents.core.model_faults import FaultName


class Unusable(Exception):
    """A reply that cannot be used as it is. The message tells the model what to mend, in a few words.

    ``kept`` is what could still be used if no better reply comes; None when nothing could.
    """

    def __init__(self, fault: FaultName, message: str, *, kept: Any = None) -> None:
        super().__init__(message)
        self.fault = fault
        self.kept = kept
