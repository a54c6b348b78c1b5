"""What a chat client needs to know, as one value. Nothing here reads the environment."""

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from agents.core.errors import NotConfigured
from agents.core.model import ModelRole, ReplyMode
from agents.core.ports import ModelUsage
from agents.core.science import Value

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_PORT = 11434
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "host.docker.internal"})
REMOTE_CACHE_MINIMUM = 1024
"""The shortest prefix that OpenAI, and most that speak its protocol, serve from cache."""


class Price(Value):
    """Money per million tokens."""

    prompt: float = Field(default=0.0, ge=0)
    cached: float = Field(default=0.0, ge=0)
    completion: float = Field(default=0.0, ge=0)

    def of(self, usage: ModelUsage) -> float:
        """Return what a call cost."""
        fresh = max(0, usage.prompt_tokens - usage.cached_tokens)
        total = fresh * self.prompt + usage.cached_tokens * self.cached
        return (total + usage.completion_tokens * self.completion) / 1e6


class ModelSettings(Value):
    """An OpenAI-compatible endpoint and how it is used.

    ``models`` names a model for each role; a role without one uses that of ``reason``. ``timeout_s`` is the
    longest silence, ``call_limit_s`` the longest call. ``cache_minimum`` None takes 1,024 for a remote
    endpoint and 0 (no cached prefix to pay for) for a local one. ``reply_mode`` fixes how structured answers
    are asked for instead of finding out. ``extra_body`` goes into every request.
    """

    base_url: str = OPENAI_URL
    api_key: SecretStr = SecretStr("")
    models: dict[ModelRole, str] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)
    timeout_s: float = Field(default=120.0, gt=0)
    call_limit_s: float = Field(default=600.0, gt=0)
    context_tokens: int = Field(default=16_384, ge=512)
    cache_minimum: int | None = Field(default=None, ge=0)
    max_reply_tokens: int | None = Field(default=None, ge=16)
    temperature: float | None = Field(default=None, ge=0, le=2)
    reply_mode: ReplyMode | Literal["auto"] = "auto"
    provider: Literal["auto", "openai", "ollama", "other"] = "auto"
    extra_body: dict[str, Any] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _with_scheme(cls, value: str) -> str:
        value = value.strip().rstrip("/") or OPENAI_URL
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"the base URL {value!r} must look like http://127.0.0.1:11434/v1")
        return value

    def model_for(self, role: ModelRole) -> str:
        """Return the model of ``role``. Raises ``NotConfigured`` when none is named."""
        name = self.models.get(role) or self.models.get("reason")
        if not name:
            raise NotConfigured(
                f"No language model is named for the role {role!r}: set DAYBOOK_MODEL to a model that "
                f"{self.base_url} serves."
            )
        return name

    @property
    def is_local(self) -> bool:
        """True for an endpoint on this machine, which needs no key."""
        return (urlsplit(self.base_url).hostname or "") in LOOPBACK

    @property
    def is_ollama(self) -> bool:
        """True when told so, or when the port is Ollama's."""
        return self.provider == "ollama" or (
            self.provider == "auto" and urlsplit(self.base_url).port == OLLAMA_PORT
        )

    @property
    def request_extra(self) -> dict[str, Any]:
        """What goes into the body of every request besides the prompt."""
        if not self.is_ollama:
            return self.extra_body
        # Ollama reads no more than its default window, silently, unless it is told.
        options = {"num_ctx": self.context_tokens, **self.extra_body.get("options", {})}
        return {**self.extra_body, "options": options}

    @property
    def cached_from(self) -> int:
        """The shortest prompt prefix that is cheaper the second time, in tokens; 0 for none."""
        if self.cache_minimum is not None:
            return self.cache_minimum
        return 0 if self.is_local else REMOTE_CACHE_MINIMUM

    def require_key(self) -> None:
        """Raise ``NotConfigured`` when the endpoint cannot work without a key and there is none."""
        if not self.api_key.get_secret_value() and self.base_url == OPENAI_URL:
            raise NotConfigured(
                "The language model needs a key: set OPENAI_API_KEY, or set OPENAI_BASE_URL to a local server "
                "that needs none (for example http://127.0.0.1:11434/v1), then test the connection."
            )
