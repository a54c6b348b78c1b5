"""What a call used: as the provider reports it, else estimated."""

import json
from contextvars import ContextVar
from typing import Any

from agents.adapters.openai.settings import ModelSettings, Price
from agents.adapters.openai.stream import Collected
from agents.core.model import ModelRequest
from agents.core.ports import ModelUsage
from agents.core.tokens import estimate_tokens

WORKED_ON = frozenset({"timeout", "connection_lost", "garbled", "no_stream"})
"""Faults after which the server may have read the prompt all the same."""


body_usage: ContextVar[dict[str, Any] | None] = ContextVar("body_usage", default=None)
"""Where the transport puts the usage of a body that came whole: the client drops it with a reply it cannot read."""


def note_body(body: Any) -> None:
    """Keep the ``usage`` of a JSON body for the call under way, in the names of the client's own."""
    kept, usage = body_usage.get(), body.get("usage") if isinstance(body, dict) else None
    if kept is None or not isinstance(usage, dict):
        return
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens", 0)]
    if all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts):
        kept.update(input_tokens=counts[0], output_tokens=counts[1])


def usage_of(
    request: ModelRequest,
    collected: Collected,
    *,
    settings: ModelSettings,
    model: str,
    seconds: float,
    fault: str = "",
    message: str = "",
) -> ModelUsage:
    """Return the usage of a call that took ``seconds``. A request turned away at the door costs nothing."""
    reported = collected.usage or body_usage.get()
    is_worked_on = not fault or fault in WORKED_ON or collected.pieces > 0
    prompt = completion = cached = 0
    if reported:
        prompt, completion = reported["input_tokens"], reported["output_tokens"]
        cached = (reported.get("input_token_details") or {}).get("cache_read") or 0
    elif is_worked_on:
        prompt, completion = estimate_tokens(_sent(request)), estimate_tokens(collected.written)
    usage = ModelUsage(
        role=request.role,
        model=model,
        prompt_tokens=prompt,
        cached_tokens=cached,
        completion_tokens=completion,
        seconds=round(seconds, 3),
        estimated=not reported,
        fault=fault,
        message=message,
        sections=request.sections,
        left_out=request.left_out,
    )
    return usage.model_copy(update={"money": settings.prices.get(model, Price()).of(usage)})


def _sent(request: ModelRequest) -> str:
    shape = json.dumps(request.reply.shape, ensure_ascii=False) if request.reply else ""
    return "\n".join([*(message.content for message in request.messages), shape])
