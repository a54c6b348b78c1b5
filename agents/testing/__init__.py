"""Doubles that ship with Daybook, for tests and for trying it without a service."""

from agents.testing.replies import Answer, Call, Drop, Fail, Hang, Say
from agents.testing.serving import ModelServer, Traits

__all__ = ["Answer", "Call", "Drop", "Fail", "Hang", "ModelServer", "Say", "Traits"]
