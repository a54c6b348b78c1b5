"""Outside sources of tools, as a study carries them: where they are, and each tool as its owner accepted it."""

from typing import Any, Literal

from pydantic import Field

from agents.core.science import Value
from agents.core.tools import EffectClass

SourceKind = Literal["mcp_stdio", "mcp_http", "openapi", "webhook"]


class Definition(Value):
    """A tool as its source describes it, brought into our shape. Everything in it is untrusted text.

    ``pin`` is the digest of the description and schemas as they came: when it changes, the tool is another one.
    ``call`` says how the source is asked (for OpenAPI: method, path, where each argument goes). ``problem`` says
    why it cannot be offered; ``caution`` what an owner must read before it is.
    """

    remote: str
    title: str = ""
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=dict)
    output_schema: dict[str, Any] = Field(default_factory=dict)
    call: dict[str, Any] = Field(default_factory=dict)
    pin: str = ""
    problem: str = ""
    caution: str = ""


class OutsideTool(Value):
    """A tool that an owner switched on: its accepted definition under our name, and what was declared of it."""

    name: str
    definition: Definition
    words: str = ""
    """The owner's own description; the reasoner reads it in place of the source's."""
    effect: EffectClass = EffectClass.BLIND
    risk: Literal["low", "medium", "high"] = "medium"
    needs_review: bool = True
    is_reversible: bool = False
    timeout_s: float = 30.0
    cost: float = 0.0


class OutsideSource(Value):
    """Where outside tools come from. ``headers`` and ``environment`` name secrets as ``$TOOL_SECRET_…``; their
    values are read from the server's environment at each call and kept nowhere."""

    id: str
    name: str
    kind: SourceKind
    command: list[str] = Field(default_factory=list)
    url: str = ""
    base_url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    secret: str = ""
    """For a webhook: the name of the variable that holds the signing secret."""
    tools: list[OutsideTool] = Field(default_factory=list)
