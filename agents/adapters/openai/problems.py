"""Sorts what went wrong in a call by what to do about it, in sentences that a person can act on."""

import json
import re
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any

from agents.adapters.openai.endpoint import CallProblem
from agents.adapters.openai.settings import ModelSettings
from agents.core.model import ReplyMode

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_LIMIT = re.compile(r"(?:context (?:length|window|size)|limit)[^\d]{0,40}?(\d[\d,]{2,})", re.IGNORECASE)
_OVERFLOW = re.compile(
    r"context_length_exceeded|maximum context length|exceeds? the (?:available )?context|context window"
    r"|prompt is too long|input is too long",
    re.IGNORECASE,
)


def problem_of(error: Exception, settings: ModelSettings, *, model: str, mode: ReplyMode) -> CallProblem:
    """Return ``error`` of the SDK, the transport or the parser as a ``CallProblem``."""
    import openai

    where = settings.base_url
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return CallProblem(
            "transient", "timeout", f"{where} was silent for too long ({settings.timeout_s:g} s)."
        )
    if isinstance(error, openai.APIConnectionError):
        return _connection(error, where)
    if isinstance(error, openai.APIStatusError):
        return _status(error, settings, model=model, mode=mode)
    if isinstance(error, openai.APIError):
        if _OVERFLOW.search(str(error)):
            return CallProblem("window", "window", str(error.message), limit=limit_in(str(error)))
        return CallProblem("transient", "server_error", f"{where} broke off with an error: {error.message}")
    if isinstance(error, json.JSONDecodeError):
        return CallProblem("transient", "garbled", f"{where} sent a stream that is not JSON: {error}")
    return CallProblem("transient", "garbled", f"{where} sent what is not a chat completion: {error!r:.300}")


def limit_in(text: str) -> int | None:
    """Return the window that an error message names, in tokens."""
    match = _LIMIT.search(text)
    return int(match.group(1).replace(",", "")) if match else None


def retry_after(headers: Any, *, now: float | None = None) -> float | None:
    """Return the seconds that ``Retry-After`` asks for, given as a number or a date; None without one."""
    raw = headers.get("retry-after")
    if raw is None:
        return None
    try:
        return max(0.0, float(raw))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(raw).timestamp() - (time.time() if now is None else now))
    except ValueError:
        return None


def _connection(error: Exception, where: str) -> CallProblem:
    causes = " ".join(f"{type(cause).__name__} {cause}" for cause in _causes(error))
    if "ConnectError" in causes or "ConnectTimeout" in causes:
        if "Name or service not known" in causes or "nodename nor servname" in causes:
            return CallProblem(
                "transient", "unreachable", f"The host of {where} is not known: check the base URL."
            )
        return CallProblem(
            "transient", "unreachable", f"Nothing answers at {where}: is the server running there?"
        )
    return CallProblem(
        "transient", "connection_lost", f"{where} closed the connection in the middle of the reply."
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _status(error: Any, settings: ModelSettings, *, model: str, mode: ReplyMode) -> CallProblem:
    status, where = error.status_code, settings.base_url
    message = said(error)
    if _OVERFLOW.search(f"{message} {error.code or ''}"):
        body = error.body if isinstance(error.body, dict) else {}
        return CallProblem("window", "window", message, limit=body.get("n_ctx") or limit_in(message))
    if status in (401, 403):
        return CallProblem("configuration", "unauthorised", _key_sentence(settings, status, message))
    if status == 404:
        text = (
            f"{where} has no model {model!r}, or is not the base URL of an OpenAI-compatible server "
            f"(it usually ends in /v1): {message}"
        )
        return CallProblem("configuration", "not_found", text)
    if error.code == "insufficient_quota" or status == 402:
        return CallProblem("configuration", "quota", f"The account at {where} has no quota left: {message}")
    if status in PASSING:
        name = "rate_limited" if status == 429 else "server_error"
        text = f"{where} answered {status}: {message}"
        return CallProblem("transient", name, text, retry_after=retry_after(error.response.headers))
    if "stream_options" in message or "include_usage" in message:
        return CallProblem("usage", "usage_refused", f"{where} does not report usage while streaming.")
    if mode != "text":
        return CallProblem("format", f"{mode}_refused", f"{where} does not honour {mode}: {message}")
    return CallProblem("request", "refused_request", f"{where} refused the request ({status}): {message}")


def said(error: Any) -> str:
    """Return the server's own words, shortened."""
    body = error.body if isinstance(error.body, dict) else {}
    text = str(body.get("message") or error.message or "").strip()
    return text[:300] or "no reason given"


def _key_sentence(settings: ModelSettings, status: int, message: str) -> str:
    if not settings.api_key.get_secret_value():
        return f"{settings.base_url} wants a key and none is set: set OPENAI_API_KEY."
    return f"{settings.base_url} refused the key ({status}: {message}): check OPENAI_API_KEY."
