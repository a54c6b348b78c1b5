"""One reply as it streams in: the pieces are kept apart and put together without being parsed."""

from dataclasses import dataclass, field
from typing import Any

from agents.core.model import ModelReply, RawCall, ReplyMode
from agents.core.ports import ModelUsage

LONGEST = 400_000
"""Characters after which a reply is taken for endless and no longer read."""


@dataclass
class Collected:
    """What has come so far."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    finish: str = ""
    usage: dict[str, Any] | None = None
    pieces: int = 0
    _names: dict[int, str] = field(default_factory=dict)
    _arguments: dict[int, str] = field(default_factory=dict)

    def add(self, chunk: Any) -> str:
        """Take in an ``AIMessageChunk`` and return what a person watching should see of it."""
        self.pieces += 1
        extra = chunk.additional_kwargs
        text = chunk.content if isinstance(chunk.content, str) else ""
        reasoning = str(extra.get("reasoning", ""))
        self.text += text
        self.reasoning += reasoning
        self.refusal += extra.get("refusal", "")
        self.finish = chunk.response_metadata.get("finish_reason") or self.finish
        self.usage = chunk.usage_metadata or self.usage
        return reasoning + text + self._add_calls(chunk.tool_call_chunks)

    def _add_calls(self, calls: list[Any]) -> str:
        seen = ""
        for call in calls:
            index = call.get("index") or 0
            self._names[index] = self._names.get(index, "") + (call.get("name") or "")
            piece = call.get("args") or ""
            self._arguments[index] = self._arguments.get(index, "") + piece
            seen += piece
        return seen

    @property
    def is_endless(self) -> bool:
        """True when the reply is longer than any honest one."""
        return self.length > LONGEST

    @property
    def length(self) -> int:
        """Characters that came."""
        return len(self.text) + len(self.reasoning) + sum(map(len, self._arguments.values()))

    @property
    def written(self) -> str:
        """Everything the model wrote, for an estimate of its tokens."""
        return self.reasoning + self.text + "".join(self._arguments.values())

    def reply(self, *, mode: ReplyMode, usage: ModelUsage) -> ModelReply:
        """Return the whole as a value."""
        calls = [RawCall(name=self._names[i], arguments=self._arguments[i]) for i in sorted(self._names)]
        return ModelReply(
            text=self.text,
            reasoning=self.reasoning,
            refusal=self.refusal,
            calls=calls,
            finish="length" if self.is_endless else self.finish,
            mode=mode,
            usage=usage,
        )
