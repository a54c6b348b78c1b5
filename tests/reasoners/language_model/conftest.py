"""A reasoner whose model is the scripted server, over real HTTP on the loopback address."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from agents.adapters.openai.endpoint import forget_endpoints
from agents.adapters.openai.settings import ModelSettings
from agents.adapters.openai_chat import ChatModel
from agents.core.errors import BadInput
from agents.core.ports import ModelUsage
from agents.core.tools import Action, CheckedAction
from agents.reasoners.language_model.reasoner import LanguageModelReasoner
from agents.testing import ModelServer, Traits


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
class Lab:
    """The reasoner, its server and what was heard."""

    server: ModelServer
    reasoner: LanguageModelReasoner
    ears: Ears

    def asked(self, number: int) -> str:
        """The last message of a request."""
        return self.server.requests[number]["messages"][-1]["content"]


def typed(action: Action) -> CheckedAction:
    """The gate of these tests: base is text, temperature a number up to 120, numbers in text are coerced."""
    value = action.arguments.get("temperature")
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value <= 120:
        received = action.arguments.get("temperature")
        message = f"field temperature: expected a number ≤ 120 °C, received {received!r}"
        raise BadInput("bad arguments", [{"field": "temperature", "message": message}])
    return CheckedAction(action=action)


async def no_wait(seconds: float) -> None:
    """Tests do not wait between tries."""


@pytest.fixture(autouse=True)
def _strangers():
    forget_endpoints()
    yield
    forget_endpoints()


@pytest.fixture
def lab() -> Callable[..., Any]:
    @asynccontextmanager
    async def make(script: Any, *, traits: Traits | None = None, **settings: Any) -> AsyncIterator[Lab]:
        with ModelServer(script, traits=traits) as server:
            values = {
                "base_url": server.base_url,
                "models": {"reason": "scripted"},
                "timeout_s": 5.0,
                **settings,
            }
            model = ChatModel(ModelSettings(**values), sleep=no_wait)
            try:
                yield Lab(server, LanguageModelReasoner(model, check=typed), Ears())
            finally:
                await model.aclose()

    return make
