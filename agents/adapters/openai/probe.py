"""Tests a connection: what answers, whether the key and the models are right, and what the server honours."""

import asyncio
import json
import time
from typing import Literal

from agents.adapters.openai.endpoint import CallProblem, endpoint_at
from agents.adapters.openai.problems import problem_of
from agents.adapters.openai.settings import ModelSettings
from agents.adapters.openai_chat import ChatModel
from agents.core.errors import DaybookError, NotConfigured
from agents.core.model import Message, ModelReply, ModelRequest, ReplyFormat, ReplyMode
from agents.core.ports import ModelUsage
from agents.core.science import Value

CheckName = Literal["reachable", "authorised", "model", "json_schema", "tool", "usage"]
LIMIT_S = 10.0
"""Seconds that a person waits for a test, all its calls together."""
LISTED = 8
"""Names of models that a sentence lists."""

_FORMAT = ReplyFormat(
    name="ready",
    shape={
        "type": "object",
        "properties": {"word": {"type": "string", "enum": ["ready"]}},
        "required": ["word"],
    },
)
_QUESTION = [Message(role="user", content='Reply with this JSON object and nothing else: {"word": "ready"}')]


class ProbeCheck(Value):
    """One thing that was tried. ``is_ok`` None: it could not be tried. ``sentence`` is for a person."""

    name: CheckName
    is_ok: bool | None
    sentence: str
    model: str = ""


class ProbeReport(Value):
    """What a test of the connection found, in the order tried."""

    base_url: str
    checks: list[ProbeCheck]
    models: list[str] = []
    seconds: float = 0.0

    @property
    def is_ready(self) -> bool:
        """True when runs can use the endpoint: it answers, takes the key and has every model."""
        needed = [check.is_ok for check in self.checks if check.name in ("reachable", "authorised", "model")]
        return bool(needed) and all(needed)

    def found(self, name: CheckName) -> bool | None:
        """Return the outcome of the first check called ``name``."""
        return next((check.is_ok for check in self.checks if check.name == name), None)


class _Deaf:
    """Nobody watches a test and nobody is billed for it by a run."""

    async def token(self, text: str) -> None:
        """Drop it."""

    async def used(self, usage: ModelUsage) -> None:
        """Drop it."""


async def probe(settings: ModelSettings, *, limit_s: float = LIMIT_S) -> ProbeReport:
    """Try ``settings`` for real with a few short calls, for ``limit_s`` seconds at most. Never raises for what
    it finds."""
    started = time.monotonic()
    # A person asks: a resting endpoint is tried at once.
    endpoint_at(settings.base_url).breaker.succeeded()
    checks: list[ProbeCheck] = []
    listed: list[str] = []
    try:
        async with asyncio.timeout(limit_s):
            await _try(settings, checks, listed)
    except TimeoutError:
        checks.append(_late(settings, checks, limit_s))
    seconds = round(time.monotonic() - started, 3)
    return ProbeReport(base_url=settings.base_url, checks=checks, models=listed, seconds=seconds)


async def _try(settings: ModelSettings, checks: list[ProbeCheck], listed: list[str]) -> None:
    """Fill both lists as answers come, so that a limit keeps what was found before it."""
    found, names = await _door(settings)
    checks += found
    listed += names
    if not all(check.is_ok for check in checks):
        return
    for model in sorted(set(settings.models.values())):
        await _model(settings, model, listed, checks)
    if not settings.models:
        checks.append(ProbeCheck(name="model", is_ok=False, sentence=_unnamed(listed)))


def _late(settings: ModelSettings, checks: list[ProbeCheck], limit_s: float) -> ProbeCheck:
    """Return what is said when the limit came first; a model that answered once can be used."""
    where = settings.base_url
    if not checks:
        said = f"{where} did not answer within {limit_s:g} s. Is the address right, and the server idle?"
        return ProbeCheck(name="reachable", is_ok=False, sentence=said)
    if any(check.name == "model" and check.is_ok for check in checks):
        said = f"The rest was not tried: {where} did not finish within {limit_s:g} s."
        return ProbeCheck(name="usage", is_ok=None, sentence=said)
    said = (
        f"{where} answers, but no model did within {limit_s:g} s. One that is still being loaded needs longer: "
        "try again in a moment."
    )
    return ProbeCheck(name="model", is_ok=False, sentence=said)


async def _door(settings: ModelSettings) -> tuple[list[ProbeCheck], list[str]]:
    """Ask for the list of models: that needs the address and the key to be right, and costs nothing."""
    where = settings.base_url
    try:
        settings.require_key()
    except NotConfigured as missing:
        return [ProbeCheck(name="authorised", is_ok=False, sentence=str(missing))], []
    try:
        listed = await _names(settings)
    except CallProblem as problem:
        if problem.fault in ("unreachable", "timeout"):
            return [ProbeCheck(name="reachable", is_ok=False, sentence=str(problem))], []
        reached = ProbeCheck(name="reachable", is_ok=True, sentence=f"{where} answers.")
        if problem.fault == "unauthorised":
            return [reached, ProbeCheck(name="authorised", is_ok=False, sentence=str(problem))], []
        # Some servers list nothing; a call will show.
        return [reached], []
    accepted = "The key is accepted." if settings.api_key.get_secret_value() else "No key is needed."
    return [
        ProbeCheck(name="reachable", is_ok=True, sentence=f"{where} answers."),
        ProbeCheck(name="authorised", is_ok=True, sentence=accepted),
    ], listed


async def _names(settings: ModelSettings) -> list[str]:
    from agents.adapters.openai.client import make_client

    client = make_client(settings, "any").root_async_client
    try:
        return sorted([model.id async for model in client.models.list()])
    except Exception as error:
        raise problem_of(error, settings, model="", mode="text") from error
    finally:
        await client.close()


async def _model(settings: ModelSettings, model: str, listed: list[str], checks: list[ProbeCheck]) -> None:
    """Add to ``checks`` what ``model`` does, one at a time."""
    endpoint_at(settings.base_url).forget(model)
    try:
        reply = await _ask(settings, model, None)
    except NotConfigured as fault:
        key = "refused the key" in str(fault) or "wants a key" in str(fault)
        sentence = str(fault) if key or not listed else _absent(settings, model, listed)
        name: CheckName = "authorised" if key else "model"
        checks.append(ProbeCheck(name=name, is_ok=False, sentence=sentence, model=model))
        return
    except DaybookError as fault:
        said = f"{model!r} does not answer: {fault}"
        checks.append(ProbeCheck(name="model", is_ok=False, sentence=said, model=model))
        return
    checks.append(ProbeCheck(name="model", is_ok=True, sentence=f"{model!r} answers.", model=model))
    checks.append(await _honours(settings, model, "json_schema"))
    checks.append(await _honours(settings, model, "tool"))
    has_usage = not reply.usage.estimated
    checks.append(ProbeCheck(name="usage", is_ok=has_usage, sentence=_usage_sentence(has_usage), model=model))


async def _honours(settings: ModelSettings, model: str, mode: ReplyMode) -> ProbeCheck:
    """Ask in one mode only, and let the chat client know what came of it."""
    what = "JSON schemas" if mode == "json_schema" else "a forced tool call"
    name: CheckName = "json_schema" if mode == "json_schema" else "tool"
    try:
        reply = await _ask(settings, model, mode)
    except DaybookError as fault:
        endpoint_at(settings.base_url).abilities(model).refused(mode)
        return ProbeCheck(
            name=name, is_ok=False, sentence=f"{model!r} does not take {what}: {fault}", model=model
        )
    is_ok = _word(reply) == "ready"
    endpoint_at(settings.base_url).abilities(model).seen(mode, honoured=is_ok)
    verb = "honours" if is_ok else "disregards"
    rest = "" if is_ok else " Replies are asked for in another way."
    return ProbeCheck(name=name, is_ok=is_ok, sentence=f"{model!r} {verb} {what}.{rest}", model=model)


async def _ask(settings: ModelSettings, model: str, mode: ReplyMode | None) -> ModelReply:
    changes = {"models": {"reason": model}, "reply_mode": mode or "text"}
    chat = ChatModel(settings.model_copy(update=changes), tries=1)
    try:
        return await chat.call(ModelRequest(messages=_QUESTION, reply=_FORMAT if mode else None), _Deaf())
    finally:
        await chat.aclose()


def _word(reply: ModelReply) -> str:
    texts = [call.arguments for call in reply.calls if call.name == _FORMAT.name]
    text = reply.text if reply.mode == "json_schema" else (texts[0] if texts else "")
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    return str(value.get("word", "")) if isinstance(value, dict) else ""


def _usage_sentence(has_usage: bool) -> str:
    if has_usage:
        return "It reports the tokens used."
    return "It does not report the tokens used while streaming: they will be estimated."


def _absent(settings: ModelSettings, model: str, listed: list[str]) -> str:
    return f"{settings.base_url} has no model {model!r}. It serves: {_some(listed)}."


def _unnamed(listed: list[str]) -> str:
    return f"No model is named: set DAYBOOK_MODEL. The server has: {_some(listed) or 'no list of models'}."


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:LISTED])
    return f"{shown} and {len(names) - LISTED} more" if len(names) > LISTED else shown
