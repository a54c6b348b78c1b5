"""Trying a tool outside any run: only one whose call changes nothing, through the same gate and executor."""

from typing import Any

from asgiref.sync import async_to_sync

from agents.core.errors import NotFound, Refused
from agents.core.text import clean_value
from agents.core.tools import Action, ToolResult
from agents.wiring import registry, trial_toolbox


def try_tool(name: str, arguments: dict[str, Any]) -> ToolResult:
    """Return what ``name`` gives for ``arguments``; nothing is stored but what a long result becomes.

    Raises ``NotFound`` for an unknown tool, ``Refused`` for one that needs a run and its review, and
    ``BadInput`` with problems by field.
    """
    found = registry().tools.get(name)
    if found is None:
        raise NotFound(f"There is no tool {name!r}; `manage.py tools list` shows those there are.")
    if not found.spec.is_pure:
        raise Refused(
            f"{found.spec.title or name} does something that is reviewed first, so it runs only in a study's run."
        )
    toolbox = trial_toolbox()
    checked = toolbox.check(Action(tool=name, arguments=clean_value(arguments)))
    return async_to_sync(toolbox.call)(checked.action, idempotency_key="")
