"""A language model behind any OpenAI-compatible endpoint, through langchain-openai.

Importing this module is light; the client's libraries load at the first call.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from agents.adapters.openai.endpoint import Abilities, CallProblem, endpoint_at
from agents.adapters.openai.problems import problem_of
from agents.adapters.openai.settings import ModelSettings
from agents.adapters.openai.stream import Collected
from agents.adapters.openai.usage import body_usage, usage_of
from agents.core.errors import DaybookError, ModelFault, NotConfigured, Transient
from agents.core.model import ModelReply, ModelRequest, ReplyMode, WindowExceeded
from agents.core.ports import Listener, ModelUsage

if TYPE_CHECKING:
    from agents.adapters.openai.client import TolerantChatOpenAI

TRIES = 3
"""A passing fault is tried again at most twice."""
LONGEST_WAIT_S = 60.0
"""A server that asks to be left alone for longer gets no further try; a person is told instead."""
_backoff = wait_exponential_jitter(multiplier=0.5, max=8.0, jitter=0.5)

Try = dict[str, Any]


class ChatModel:
    """Implements ``LanguageModel``. One object may serve several runs and event loops.

    ``sleep`` waits between tries, in seconds.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        tries: int = TRIES,
    ) -> None:
        self.settings = settings
        self.context_tokens = settings.context_tokens
        self.cache_minimum = settings.cached_from
        self._endpoint = endpoint_at(settings.base_url)
        self._sleep = sleep
        self._tries = tries
        # A connection pool belongs to its event loop; every worker thread has its own.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, TolerantChatOpenAI]] = (
            WeakKeyDictionary()
        )

    async def call(self, request: ModelRequest, listener: Listener) -> ModelReply:
        """Return one reply; see ``LanguageModel.call`` for what it raises."""
        self.settings.require_key()
        model = self.settings.model_for(request.role)
        tries: list[Try] = []
        try:
            async for attempt in AsyncRetrying(
                stop=stop_after_attempt(self._tries),
                wait=_wait,
                retry=retry_if_exception(_is_worth_another_try),
                sleep=self._sleep,
                reraise=True,
            ):
                with attempt:
                    return await self._guarded(request, listener, model=model, tries=tries)
        except CallProblem as problem:
            raise _error_of(problem, tries) from problem
        except Transient as resting:
            raise ModelFault(
                str(resting), [*tries, {"fault": "resting", "message": str(resting), "raw": ""}]
            ) from None
        raise AssertionError("the retry loop returns or raises")

    async def aclose(self) -> None:
        """Close the connections that this object holds for the running event loop."""
        for client in self._clients.pop(asyncio.get_running_loop(), {}).values():
            await client.root_async_client.close()

    async def _guarded(
        self, request: ModelRequest, listener: Listener, *, model: str, tries: list[Try]
    ) -> ModelReply:
        """Make one try behind the breaker, going down the ladder of reply modes where the server says no."""
        abilities = self._endpoint.abilities(model)
        while True:
            self._endpoint.breaker.admit()
            mode = self._mode(request, abilities)
            try:
                reply = await self._once(request, listener, model=model, mode=mode, tries=tries)
            except CallProblem as problem:
                if problem.kind == "transient":
                    self._endpoint.breaker.failed()
                    raise
                self._endpoint.breaker.succeeded()
                if not _learned(problem, abilities, mode, is_fixed=self._fixed(request) is not None):
                    raise
                continue
            self._endpoint.breaker.succeeded()
            _observe(reply, request, abilities)
            return reply

    def _mode(self, request: ModelRequest, abilities: Abilities) -> ReplyMode:
        return self._fixed(request) or abilities.mode()

    def _fixed(self, request: ModelRequest) -> ReplyMode | None:
        """Return the only reply mode that comes into question; None when there is a choice."""
        if request.reply is None:
            return "text"
        mode = self.settings.reply_mode
        return None if mode == "auto" else mode

    async def _once(
        self, request: ModelRequest, listener: Listener, *, model: str, mode: ReplyMode, tries: list[Try]
    ) -> ModelReply:
        started = time.monotonic()
        collected = Collected()
        body_usage.set({})

        def used(problem: CallProblem | None = None) -> ModelUsage:
            return usage_of(
                request,
                collected,
                settings=self.settings,
                model=model,
                seconds=time.monotonic() - started,
                fault=problem.fault if problem else "",
                message=str(problem or ""),
            )

        if tries:
            await listener.token("")
        try:
            async with aclosing(self._chunks(request, model=model, mode=mode)) as chunks:
                async for chunk in chunks:
                    seen = collected.add(chunk)
                    if seen:
                        await listener.token(seen)
                    if collected.is_endless:
                        break
        except CallProblem as problem:
            tries.append({"fault": problem.fault, "message": str(problem), "raw": collected.written[:2000]})
            await listener.used(used(problem))
            raise
        return collected.reply(mode=mode, usage=used())

    async def _chunks(self, request: ModelRequest, *, model: str, mode: ReplyMode) -> AsyncGenerator[Any]:
        """Yield the reply's chunks. Raises ``CallProblem``, and nothing else of the client's errors."""
        abilities = self._endpoint.abilities(model)
        deadline = asyncio.get_running_loop().time() + self.settings.call_limit_s
        try:
            # The first call imports the client's libraries, which takes seconds: not on the event loop.
            client = await self._client(model)
            messages: list[tuple[str, str]] = [
                (message.role, message.content) for message in request.messages
            ]
            options = _options(request, mode, extra=self.settings.request_extra)
            if not abilities.can_stream:
                async with asyncio.timeout_at(deadline):
                    chunk = await client.complete(messages, **options)
                yield chunk
                return
        except DaybookError:
            raise
        except Exception as error:
            raise problem_of(error, self.settings, model=model, mode=mode) from error
        stream = client.astream(messages, stream_usage=abilities.reports_usage, **options)
        pieces = _until(deadline, stream, lambda error: self._stream_problem(error, model, mode))
        async with aclosing(pieces):
            async for chunk in pieces:
                yield chunk

    def _stream_problem(self, error: Exception, model: str, mode: ReplyMode) -> CallProblem:
        if isinstance(error, ValueError) and "No generation chunks" in str(error):
            return CallProblem("streaming", "no_stream", f"{self.settings.base_url} sent an empty stream.")
        return problem_of(error, self.settings, model=model, mode=mode)

    async def _client(self, model: str) -> "TolerantChatOpenAI":
        loop = asyncio.get_running_loop()
        clients = self._clients.setdefault(loop, {})
        if model not in clients:
            clients[model] = await asyncio.to_thread(_make_client, self.settings, model)
        return clients[model]


def _make_client(settings: ModelSettings, model: str) -> "TolerantChatOpenAI":
    from agents.adapters.openai.client import make_client

    return make_client(settings, model)


def _options(request: ModelRequest, mode: ReplyMode, *, extra: dict[str, Any]) -> dict[str, Any]:
    """Return what asks for a structured answer in ``mode``: one way only, since Ollama breaks on two."""
    if request.reply is None or mode == "text":
        return {"extra_body": extra}
    name, shape = request.reply.name, request.reply.shape
    if mode == "tool":
        function = {"name": name, "description": "Give the reply.", "parameters": shape}
        choice = {"type": "function", "function": {"name": name}}
        return {
            "tools": [{"type": "function", "function": function}],
            "tool_choice": choice,
            "extra_body": extra,
        }
    schema = {"name": name, "schema": shape, "strict": False}
    # As a top-level argument langchain would hand it to the SDK's parser, which raises on every flaw
    # instead of giving the text.
    return {"extra_body": {**extra, "response_format": {"type": "json_schema", "json_schema": schema}}}


async def _until(
    deadline: float, stream: AsyncIterator[Any], sort: Callable[[Exception], CallProblem]
) -> AsyncGenerator[Any]:
    """Yield from ``stream`` until ``deadline`` on the loop's clock; its errors come out sorted."""
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except Exception as error:
            raise sort(error) from error
        yield chunk


def _wait(state: RetryCallState) -> float:
    problem = state.outcome.exception() if state.outcome else None
    asked = problem.retry_after if isinstance(problem, CallProblem) else None
    return _backoff(state) if asked is None else asked


def _is_worth_another_try(error: BaseException) -> bool:
    return (
        isinstance(error, CallProblem)
        and error.kind == "transient"
        and (error.retry_after is None or error.retry_after <= LONGEST_WAIT_S)
    )


def _learned(problem: CallProblem, abilities: Abilities, mode: ReplyMode, *, is_fixed: bool) -> bool:
    """Remember what the server does not honour; True when asking in another way may help."""
    if problem.kind == "format" and not is_fixed:
        abilities.refused(mode)
    elif problem.kind == "usage" and abilities.reports_usage:
        abilities.reports_usage = False
    elif problem.kind == "streaming" and abilities.can_stream:
        abilities.can_stream = False
    else:
        return False
    return True


def _observe(reply: ModelReply, request: ModelRequest, abilities: Abilities) -> None:
    if request.reply is None or reply.mode == "text" or reply.is_cut or reply.refusal:
        # Nothing was asked for, or the reply says nothing about the server.
        return
    if reply.mode == "tool":
        abilities.seen("tool", honoured=any(call.name == request.reply.name for call in reply.calls))
        return
    try:
        value = json.loads(reply.text)
    except (ValueError, RecursionError):  # the reader of the reply says what is wrong with it
        value = None
    abilities.seen("json_schema", honoured=isinstance(value, dict))


def _error_of(problem: CallProblem, tries: list[Try]) -> DaybookError:
    message = str(problem)
    if problem.kind == "window":
        return WindowExceeded(message, problem.limit)
    if problem.kind == "configuration":
        return NotConfigured(message)
    if problem.retry_after is not None and problem.retry_after > LONGEST_WAIT_S:
        message += f" It asks to wait {problem.retry_after:g} s before the next call."
    return ModelFault(message, tries)
