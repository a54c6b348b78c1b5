"""What the scripted model server can answer: one small value a kind, good and bad."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Say:
    """Text as it stands. ``finish`` "length" is a truncated reply; empty, a stream that just ends."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    finish: str = "stop"


@dataclass(frozen=True)
class Call:
    """A tool call with raw ``arguments``: text, or an object as careless servers send it.

    Without ``name`` it calls the function that the request offers.
    """

    arguments: Any
    name: str = ""
    finish: str = "tool_calls"


@dataclass(frozen=True)
class Answer:
    """A good structured answer, in whichever way the request asks for it."""

    value: dict[str, Any]


@dataclass(frozen=True)
class Fail:
    """An HTTP error. ``retry_after`` is in seconds."""

    status: int
    message: str = "the scripted server fails here"
    code: str = ""
    retry_after: float | None = None


@dataclass(frozen=True)
class Drop:
    """A stream whose connection is closed after ``text``."""

    text: str = ""


@dataclass(frozen=True)
class Hang:
    """Silence for ``seconds``, then the connection closes."""

    seconds: float = 60.0


Reply = Say | Call | Answer | Fail | Drop | Hang
Request = dict[str, Any]
"""The JSON body of a request."""
Script = Sequence[Reply] | Callable[[Request, int], Reply]
"""The replies in order, the last one repeated; or a function of the request and its number, from 0."""

PROSE = "I have thought about it and would go on with the next experiment."
"""What a server says that ignores how it was asked."""


def asked_format(request: Request) -> str:
    """Return the name of the structured answer that a request asks for; empty when it asks for text."""
    schema = (request.get("response_format") or {}).get("json_schema") or {}
    if schema:
        return str(schema.get("name", ""))
    tools = request.get("tools") or []
    return str(tools[0]["function"]["name"]) if tools else ""


def prompt_text(request: Request) -> str:
    """Return all messages of a request as one text."""
    return "\n".join(str(message.get("content") or "") for message in request.get("messages", []))


def message_of(reply: Say | Call | Answer, request: Request, *, ignored: bool) -> tuple[dict[str, Any], str]:
    """Return the assistant's message and the finish reason. ``ignored``: the server disregards the format."""
    if isinstance(reply, Say):
        message = {"content": reply.text, "reasoning_content": reply.reasoning, "refusal": reply.refusal}
        return {key: value for key, value in message.items() if value or key == "content"}, reply.finish
    if isinstance(reply, Call):
        return _call(reply.name or asked_format(request), reply.arguments), reply.finish
    if ignored:
        return {"content": PROSE}, "stop"
    text = json.dumps(reply.value, ensure_ascii=False)
    if request.get("tools"):
        return _call(asked_format(request), text), "tool_calls"
    return {"content": text}, "stop"


def _call(name: str, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {
        "content": None,
        "tool_calls": [{"index": 0, "id": "call_0", "type": "function", "function": function}],
    }
