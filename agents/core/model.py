"""How a reasoner meets a language model: messages go out, a raw reply comes back."""

from typing import Any, Literal, Protocol

from pydantic import Field

from agents.core.errors import DaybookError
from agents.core.ports import Listener, ModelUsage
from agents.core.science import Value

ModelRole = Literal["reason", "refine", "digest", "review"]
ReplyMode = Literal["json_schema", "tool", "text"]
"""How a structured answer is asked for: the provider's JSON schema, a forced tool call, or in words only."""


class Message(Value):
    """One message of a prompt."""

    role: Literal["system", "user"]
    content: str


class ReplyFormat(Value):
    """The object that a reply must be. ``shape`` is its JSON Schema; ``name`` is an identifier."""

    name: str
    shape: dict[str, Any]


class ModelRequest(Value):
    """One question to the model. Without ``reply`` the answer is free text.

    ``sections`` are the tokens of each part of the prompt, by name, ``left_out`` the lines cut from it; they are passed on to the usage.
    """

    role: ModelRole = "reason"
    messages: list[Message]
    reply: ReplyFormat | None = None
    sections: dict[str, int] = Field(default_factory=dict)
    left_out: dict[str, int] = Field(default_factory=dict)


class RawCall(Value):
    """A tool call as it came. ``arguments`` is the raw text, or an object when the server sent one."""

    name: str
    arguments: Any = ""


class ModelReply(Value):
    """What came back, untouched. ``finish`` is the provider's word; empty when the stream just ended.

    ``usage`` is not yet reported to the listener: who reads the reply fills in ``fault`` and reports it.
    """

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[RawCall] = Field(default_factory=list)
    finish: str = ""
    mode: ReplyMode = "text"
    usage: ModelUsage

    @property
    def is_cut(self) -> bool:
        """True when the reply ended before the model was done."""
        return self.finish in ("", "length")


class WindowExceeded(DaybookError):
    """The prompt is longer than the model reads: shorten it. ``limit`` is in tokens when the server said it."""

    def __init__(self, message: str, limit: int | None = None) -> None:
        super().__init__(message)
        self.limit = limit


class LanguageModel(Protocol):
    """A model behind an endpoint."""

    context_tokens: int
    """Prompt and reply together may not be longer."""
    cache_minimum: int
    """Shortest prompt prefix that the provider caches, in tokens; 0 when it caches none."""

    async def call(self, request: ModelRequest, listener: Listener) -> ModelReply:
        """Return one reply; pass pieces on to ``listener`` as they come.

        Passing faults are tried again inside; each failed try is reported to ``listener.used``. The usage of
        the returned reply is not. Raises ``ModelFault`` when no reply came, ``WindowExceeded`` when the
        prompt is too long, ``NotConfigured`` when the endpoint refuses the key or has no such model.
        """

    async def aclose(self) -> None:
        """Close the connections held for the running event loop."""
