"""The schema gate: what an action, a result and a person's entry may look like."""

from agents.tools.gate.check import check_action, check_output, check_value, find_tool

__all__ = ["check_action", "check_output", "check_value", "find_tool"]
