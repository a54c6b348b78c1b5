"""A chat client against the scripted server, over real HTTP on the loopback address."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from agents.adapters.openai.endpoint import forget_endpoints
from agents.adapters.openai.settings import ModelSettings
from agents.adapters.openai_chat import ChatModel
from agents.core.model import Message, ModelReply, ModelRequest, ReplyFormat
from agents.core.ports import ModelUsage
from agents.testing import ModelServer, Traits

FORMAT = ReplyFormat(
    name="finding",
    shape={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)
QUESTION = [
    Message(role="system", content="You work in a lab."),
    Message(role="user", content="What did you find?"),
]


@dataclass
class Ears:
    """A listener that writes down what it hears."""

    heard: str = ""
    usages: list[ModelUsage] = field(default_factory=list)

    async def token(self, text: str) -> None:
        self.heard += text

    async def used(self, usage: ModelUsage) -> None:
        self.usages.append(usage)

    @property
    def faults(self) -> list[str]:
        return [usage.fault for usage in self.usages]


@dataclass
class Bench:
    """The server, the client, what was heard and how long the client waited between tries."""

    server: ModelServer
    model: ChatModel
    ears: Ears
    waits: list[float]

    async def ask(self, *, structured: bool = True) -> ModelReply:
        request = ModelRequest(messages=QUESTION, reply=FORMAT if structured else None, sections={"goal": 7})
        return await self.model.call(request, self.ears)


@pytest.fixture(autouse=True)
def _strangers():
    """Every test meets its server for the first time, though ports come again."""
    forget_endpoints()
    yield
    forget_endpoints()


@pytest.fixture
def bench() -> Callable[..., Any]:
    @asynccontextmanager
    async def make(script: Any, *, traits: Traits | None = None, **settings: Any) -> AsyncIterator[Bench]:
        waits: list[float] = []

        async def wait(seconds: float) -> None:
            waits.append(seconds)

        with ModelServer(script, traits=traits) as server:
            values = {"base_url": server.base_url, "models": {"reason": "scripted"}, **settings}
            model = ChatModel(ModelSettings(**values), sleep=wait)
            try:
                yield Bench(server, model, Ears(), waits)
            finally:
                await model.aclose()

    return make
