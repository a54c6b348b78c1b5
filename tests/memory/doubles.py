"""A model that says one thing, and a listener that hears nothing."""

import json
from typing import Any

from agents.core.model import ModelReply, ModelRequest
from agents.core.ports import ModelUsage


class Ears:
    """Hears nothing."""

    async def token(self, text: str) -> None:
        """Nobody watches."""

    async def used(self, usage: ModelUsage) -> None:
        """Nobody pays."""


class Says:
    """A model that answers every question with ``value``; with nothing found when that is None."""

    context_tokens = 16_000
    cache_minimum = 0

    def __init__(self, value: dict[str, Any] | None) -> None:
        self.asked: list[str] = []
        self._text = json.dumps(value if value is not None else {"items": []}, ensure_ascii=False)

    async def call(self, request: ModelRequest, listener: Ears) -> ModelReply:
        """Answer."""
        self.asked.append("\n".join(message.content for message in request.messages))
        usage = ModelUsage(role=request.role, model="double")
        return ModelReply(text=self._text, finish="stop", usage=usage)

    async def aclose(self) -> None:
        """Nothing is open."""
