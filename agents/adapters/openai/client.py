"""langchain-openai's client, made to keep what careless servers send. Heavy: import inside functions only."""

import json
import warnings
from contextlib import suppress
from functools import cache
from typing import Any

import openai
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models.base import global_ssl_context

from agents.adapters.openai.settings import ModelSettings
from agents.adapters.openai.usage import note_body

CONNECT_S = 10.0

# The SDK builds its values unchecked and langchain dumps them: for arguments sent as an object, which are
# handled below, pydantic warns at every chunk.
warnings.filterwarnings("ignore", message="Pydantic serializer warnings", module="pydantic.main")


class TolerantChatOpenAI(ChatOpenAI):
    """``ChatOpenAI`` that loses nothing of a reply.

    The base class drops ``reasoning_content`` and ``refusal``, drops tool calls without an index, and breaks
    on arguments sent as an object.
    """

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        delta = _delta_of(chunk)
        if delta is not None:
            _mend_calls(delta)
        generation = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        if generation is not None and delta is not None:
            # Ollama and some gateways spell it "reasoning".
            for key, spelling in (
                ("reasoning", "reasoning_content"),
                ("reasoning", "reasoning"),
                ("refusal",) * 2,
            ):
                if isinstance(delta.get(spelling), str) and delta[spelling]:
                    generation.message.additional_kwargs.setdefault(key, delta[spelling])
        return generation

    async def complete(self, messages: list[tuple[str, str]], **kwargs: Any) -> AIMessageChunk:
        """Return a reply in one piece, for servers that cannot stream.

        Raises ``ValueError`` when the body is not a completion.
        """
        payload = self._get_request_payload(messages, **kwargs)
        completion = await self.async_client.create(**{**payload, "stream": False})
        body = completion if isinstance(completion, dict) else getattr(completion, "model_dump", dict)()
        choices = body.get("choices") or []
        if not choices:
            raise ValueError(f"the body is no completion: {str(completion)[:200]!r}")
        choice = {**choices[0], "delta": choices[0].get("message") or {}}
        generation = self._convert_chunk_to_generation_chunk(
            {**body, "choices": [choice]}, AIMessageChunk, None
        )
        if generation is None or not isinstance(generation.message, AIMessageChunk):
            raise ValueError("the completion holds no message of an assistant")
        generation.message.response_metadata.update(generation.generation_info or {})
        return generation.message


def make_client(settings: ModelSettings, model: str) -> TolerantChatOpenAI:
    """Return a client of ``model`` for the running event loop. SDK retries are off: retrying is ours."""
    timeout = openai.Timeout(settings.timeout_s, connect=min(CONNECT_S, settings.timeout_s))
    return TolerantChatOpenAI(
        model=model,
        base_url=settings.base_url,
        api_key=settings.api_key if settings.api_key.get_secret_value() else "none",
        timeout=timeout,
        # A pool of its own: langchain would share one, and pools may not be shared by the event loops of
        # several workers.
        http_async_client=openai.DefaultAsyncHttpxClient(
            timeout=timeout, verify=global_ssl_context, event_hooks={"response": [_note_usage]}
        ),
        http_client=_unused_client(),
        # For clients that langchain would make: left out, it warns of a proxy that these ones do honour.
        http_socket_options=(),
        stream_chunk_timeout=settings.timeout_s,
        max_retries=0,
        temperature=settings.temperature,
        max_tokens=settings.max_reply_tokens,
        use_responses_api=False,
    )


async def _note_usage(response: Any) -> None:
    """Keep the usage of a body that comes whole, whatever becomes of the reply in it."""
    if "json" not in response.headers.get("content-type", ""):
        return
    await response.aread()
    with suppress(ValueError):
        note_body(response.json())


@cache
def _unused_client() -> Any:
    """Return the blocking client that langchain insists on; building one costs more than a whole call."""
    return openai.DefaultHttpxClient(verify=global_ssl_context)


def _delta_of(chunk: dict[str, Any]) -> dict[str, Any] | None:
    choices = chunk.get("choices") or []
    delta = choices[0].get("delta") if choices else None
    return delta if isinstance(delta, dict) else None


def _mend_calls(delta: dict[str, Any]) -> None:
    calls = delta.get("tool_calls")
    if not isinstance(calls, list):
        delta.pop("tool_calls", None)
        return
    for position, call in enumerate(calls):
        function = call.get("function") or {}
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            function["arguments"] = json.dumps(arguments, ensure_ascii=False)
        call["function"] = function
        if call.get("index") is None:
            call["index"] = position
