"""The tools: which are installed, and which would not load."""

from collections.abc import Iterator

from agents.doctor.registry import Level, Look, Remark, check
from agents.wiring import registry


@check("tools", order=90, needs_database=False)
def tools(look: Look) -> Iterator[Remark]:
    """Load every built-in and configured tool, and name those that failed."""
    found = registry()
    for problem in found.problems:
        todo = "Mend the module, or take it out of DAYBOOK_TOOLS or uninstall its package."
        yield Remark(Level.FAIL, f"It would not load: {problem['message']}", problem["source"], todo)
    if not found.problems:
        yield Remark(Level.OK, f"{len(found.tools)} tools are installed")
