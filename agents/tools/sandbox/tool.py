"""The tool of the sandbox, for studies whose owner switched it on."""

from agents.tools.registry import tool_of
from agents.tools.tool import Tool


def code_tools() -> dict[str, Tool]:
    """Return ``run_python`` by its name."""
    from agents.tools.sandbox.python import run_python

    made = tool_of(run_python)
    return {made.spec.name: made}
