"""The built-in optimiser: no model, no key."""

from agents.reasoners.optimiser.reasoner import OptimiserReasoner

__all__ = ["OptimiserReasoner"]
