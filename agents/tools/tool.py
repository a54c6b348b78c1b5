"""A tool: its specification and how it is run."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from agents.core.tools import ToolSpec

Arguments = dict[str, Any]
Run = Callable[[Arguments], Awaitable[dict[str, Any]] | dict[str, Any]]


@dataclass(frozen=True)
class Tool:
    """What the executor needs. ``run`` takes checked arguments and returns plain JSON.

    ``reference`` (``module:name``) lets a child process find a tool again; a tool without one runs in this
    process, so it must not be able to hang. ``check`` raises ``BadInput`` for arguments that fit the schema
    and cannot be used nevertheless. ``input_model`` and ``output_model`` add the rules of a pydantic model.
    """

    spec: ToolSpec
    run: Run
    reference: str = ""
    check: Callable[[Arguments], None] | None = None
    input_model: type[BaseModel] | None = None
    output_model: type[BaseModel] | None = None
