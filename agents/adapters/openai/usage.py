"""What a call used: as the provider reports it, else estimated."""

import json

from agents.adapters.openai.settings import ModelSettings, Price
from agents.adapters.openai.stream import Collected
from agents.core.model import ModelRequest
from agents.core.ports import ModelUsage
from agents.core.tokens import estimate_tokens

WORKED_ON = frozenset({"timeout", "connection_lost", "garbled", "no_stream"})
"""Faults after which the server may have read the prompt all the same."""


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
    reported = collected.usage
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
