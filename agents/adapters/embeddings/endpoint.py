"""Embeddings from any OpenAI-compatible endpoint (``/v1/embeddings``)."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from agents.adapters.embeddings.base import Vector
from agents.core.errors import BadInput, NotConfigured, Transient

BATCH = 64
LONGEST = 8000
"""Characters of a text that are sent: no common model reads more than 8,192 tokens."""
TIMEOUT_S = 30.0


class EndpointEmbedder:
    """Asks ``model`` at ``base_url``. Raises ``NotConfigured`` for a refused key or unknown model, ``BadInput``
    for a refused text, ``Transient`` when the endpoint is away or answers nothing usable."""

    unrelated_below = 0.0
    """Every model has its own scale, and this one's is not known."""

    def __init__(self, *, model: str, api_key: str, base_url: str = "") -> None:
        self.name = model
        self._api_key = api_key
        self._base_url = base_url

    @cached_property
    def _client(self) -> Any:
        from openai import OpenAI

        return OpenAI(
            api_key=self._api_key or "none", base_url=self._base_url or None, timeout=TIMEOUT_S, max_retries=2
        )

    @cached_property
    def dimension(self) -> int:
        """Length of every vector, as the model answers it."""
        return len(self._ask(["dimension"])[0])

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order, each of unit length."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += self._ask([text[:LONGEST] or " " for text in texts[start : start + BATCH]])
        return vectors

    def _ask(self, texts: list[str]) -> list[Vector]:
        import openai

        try:
            answer = self._client.embeddings.create(model=self.name, input=texts, encoding_format="float")
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise NotConfigured(
                f"the embeddings endpoint refused model {self.name!r} ({error}); check EMBEDDINGS_MODEL, "
                "OPENAI_API_KEY and OPENAI_BASE_URL"
            ) from error
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            raise BadInput(f"the embeddings endpoint refused the text: {error}") from error
        except openai.OpenAIError as error:
            raise Transient(f"the embeddings endpoint does not answer: {error}") from error
        return self._checked(answer, len(texts))

    def _checked(self, answer: Any, expected: int) -> list[Vector]:
        try:
            items = sorted(answer.data, key=lambda item: item.index)
            vectors = [_unit([float(x) for x in item.embedding]) for item in items]
        except (AttributeError, TypeError, ValueError) as error:
            raise Transient(f"the embeddings endpoint answered no vectors: {error}") from error
        known = self.__dict__.get("dimension", len(vectors[0]) if vectors else 0)
        if len(vectors) != expected or any(len(vector) != known for vector in vectors):
            raise Transient(
                f"the embeddings endpoint answered {len(vectors)} vectors of lengths "
                f"{sorted({len(vector) for vector in vectors})}, expected {expected} of {known}"
            )
        return vectors


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(x * x for x in vector))
    if not math.isfinite(length) or not length:
        raise ValueError("a vector is empty, zero or not finite")
    return [x / length for x in vector]
