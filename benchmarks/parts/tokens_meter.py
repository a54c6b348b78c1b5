"""Counts the prompt tokens of recorded requests, with and without a provider's prefix cache."""

import json
from dataclasses import dataclass
from typing import Any

from benchmarks.parts.tokens_work import encode

BLOCK = 128
"""Providers serve a cached prefix in blocks of this many tokens."""
CACHED_PRICE = 0.1
"""A cached token costs this share of a fresh one at OpenAI and Anthropic."""


@dataclass(frozen=True)
class Call:
    """One request: its tokens, those of its last message, and the prefix it shares with an earlier one."""

    kind: str
    tokens: int
    tail: int
    prefix: int
    text: str

    def cost(self, minimum: int) -> float:
        """Return the tokens paid for, when prefixes of at least ``minimum`` tokens are cached."""
        cached = self.prefix // BLOCK * BLOCK if self.prefix >= minimum else 0
        return self.tokens - (1 - CACHED_PRICE) * cached


def metered(requests: list[dict[str, Any]]) -> list[Call]:
    """Return every request counted: 3 tokens a message and 3 a call on top, schemas and tools as JSON.

    The prefix is the longest shared with one of the three requests before.
    """
    calls: list[Call] = []
    seen: list[list[list[int]]] = []
    for request in requests:
        segments = _segments(request)
        tokens = [encode(segment) for segment in segments]
        total = sum(map(len, tokens)) + 3 * len(request["messages"]) + 3
        prefix = min(max((_shared(old, tokens) for old in seen[-3:]), default=0), total)
        seen.append(tokens)
        calls.append(Call(_kind(request), total, len(tokens[-1]) + 3, prefix, "\n".join(segments)))
    return calls


def slope(values: list[int]) -> float:
    """Return the least-squares growth a step."""
    if len(values) < 2:
        return 0.0
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    spread = sum((x - middle) ** 2 for x in range(len(values)))
    return sum((x - middle) * (y - mean) for x, y in enumerate(values)) / spread


def _kind(request: dict[str, Any]) -> str:
    schema = (request.get("response_format") or {}).get("json_schema") or {}
    return str(schema.get("name", "text"))


def _segments(request: dict[str, Any]) -> list[str]:
    shape = request.get("response_format") or request.get("tools")
    first = [json.dumps(shape, ensure_ascii=False, separators=(",", ":"))] if shape else []
    return first + [_said(message) for message in request["messages"]]


def _said(message: dict[str, Any]) -> str:
    calls = [
        {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}
        for call in message.get("tool_calls") or []
    ]
    said = f"{message['role']}\n{message.get('content') or ''}"
    return "\n".join([said, *(json.dumps(call, ensure_ascii=False) for call in calls)])


def _shared(old: list[list[int]], new: list[list[int]]) -> int:
    length = 0
    for one, other in zip(old, new, strict=False):
        if one == other:
            length += len(one) + 3
            continue
        for a, b in zip(one, other, strict=False):
            if a != b:
                return length
            length += 1
        return length
    return length
