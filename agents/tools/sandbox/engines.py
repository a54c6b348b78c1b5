"""Which sandboxes this machine has."""

from agents.tools.sandbox import bubblewrap, monty


def why_none() -> str:
    """Return why no code can be run here, or an empty text."""
    problems = [monty.problem(), bubblewrap.problem()]
    return "; ".join(problems) if all(problems) else ""


def engines() -> dict[str, str]:
    """Return each sandbox with why it is not there, or an empty text."""
    return {"pydantic-monty": monty.problem(), "bubblewrap": bubblewrap.problem()}
