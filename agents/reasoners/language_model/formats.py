"""The shapes that replies must have, and the line that reminds a model of one."""

import json
from collections.abc import Sequence
from string import Template
from typing import Any

from agents.core.model import ReplyFormat
from agents.core.tools import ToolSpec
from agents.reasoners.prompts import prompt_text

_OBJECT: dict[str, Any] = {"type": "object"}
_TEXT: dict[str, Any] = {"type": "string"}

LISTABLE = 3
"""Tools from which on a model is told that it may list several calls."""
DIRECTORY = "tools"
"""The category of the tools that tell of tools."""

TURN_LINE = '{"memory":[],"hypothesis":{"text":""},"action":{"tool":"","arguments":{}},"reason":""}'
DIGEST_LINE = '{"items":[{"kind":"","text":"","page":1,"quote":""}]}'


def may_list(tools: Sequence[ToolSpec]) -> bool:
    """Return True when there are tools enough besides the experiment to make a list of calls worth its words."""
    return sum(not spec.is_experiment and spec.category != DIRECTORY for spec in tools) >= LISTABLE


def format_text(*, is_measured: bool, is_listed: bool = False) -> str:
    """Return the format of a step's reply in words. Without a measured response there is nothing to predict;
    with ``is_listed`` several calls may be proposed at once."""
    shown = {"prediction": is_measured, "replicate": is_measured, "actions": is_listed}
    parts = {name: prompt_text(f"reason_{name}") if is_shown else "" for name, is_shown in shown.items()}
    return Template(prompt_text("reason_format")).substitute(parts).replace("  ", " ")


def turn_format(
    tools: Sequence[ToolSpec], *, is_measured: bool, is_listed: bool = False, is_open: bool = False
) -> ReplyFormat:
    """Return the format of a step's reply as a schema.

    Kept loose on purpose: strict schemas have no room for each tool's arguments, every token here is paid
    for at every step, and the whole is checked again when it arrives. ``is_open`` leaves out the names of the
    tools, since there are too many.
    """
    names = sorted(spec.name for spec in tools)
    tool = _TEXT if is_open else {"enum": names}
    action = {"type": "object", "properties": {"tool": tool, "arguments": _OBJECT}}
    properties = {
        "memory": {"type": "array"},
        "hypothesis": _OBJECT,
        "action": action,
        "reason": {},
        "finish": _OBJECT,
    }
    if is_listed:
        properties["actions"] = {"type": "array", "items": _OBJECT}
    if is_measured:
        properties |= {"prediction": _OBJECT, "replicate": {"type": "boolean"}}
    return ReplyFormat(
        name="turn", shape={"type": "object", "properties": properties, "required": ["memory"]}
    )


def digest_format() -> ReplyFormat:
    """Return the format of a digest's reply."""
    kinds = ["goal", "method", "constraint", "parameter", "result", "hypothesis"]
    number = {"type": "integer"}
    item = {
        "type": "object",
        "properties": {"kind": {"enum": kinds}, "text": _TEXT, "page": number, "quote": _TEXT},
        "required": ["kind", "text", "page", "quote"],
    }
    shape = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}},
        "required": ["items"],
    }
    return ReplyFormat(name="digest", shape=shape)


def shape_text(reply: ReplyFormat) -> str:
    """Return the schema as the provider puts it before the model."""
    return json.dumps(reply.shape, ensure_ascii=False, separators=(",", ":"))
