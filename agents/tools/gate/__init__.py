"""The schema gate: what an action, a result and a person's entry may look like."""

from agents.tools.gate.check import check_action, check_output, check_value, find_tool
from agents.tools.gate.workflow import check_workflow, resolve_item

__all__ = ["check_action", "check_output", "check_value", "check_workflow", "find_tool", "resolve_item"]
