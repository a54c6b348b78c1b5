"""Asks until a reply can be used: at most twice more, with the error and never with the broken text."""

from collections.abc import Callable
from typing import Any, TypeVar

from agents.core.errors import ModelFault
from agents.core.model import LanguageModel, Message, ModelReply, ModelRequest, WindowExceeded
from agents.core.model_faults import sentence_of
from agents.core.ports import Listener
from agents.core.tokens import estimate_tokens
from agents.reasoners.language_model.cutting import Count, cut_text
from agents.reasoners.language_model.replies import Unusable

AGAIN = 2
"""A model is asked at most twice more, for whatever reason."""
REMINDER = 60
"""The longest reminder, in tokens."""
TRUNCATED = 0.6
"""A server that reports fewer tokens than this share of the estimate did not read all of the prompt."""
SMALLEST_WINDOW = 1000
"""No server truncates to fewer tokens than this; a smaller report is no count of this prompt."""
_WITHOUT_SHAPE = frozenset({"unknown_tool", "bad_arguments", "bad_part", "wrong_language", "refusal"})
"""Faults of the content: the shape was right and need not be repeated."""

T = TypeVar("T")


async def ask(
    model: LanguageModel,
    request: ModelRequest,
    *,
    read: Callable[[ModelReply], T],
    shape_line: str,
    listener: Listener,
    count: Count = estimate_tokens,
    final: frozenset[str] = frozenset(),
    again: int = AGAIN,
) -> T:
    """Return what ``read`` makes of the first usable reply.

    The model is asked at most ``again`` times more. ``read`` raises ``Unusable``. A fault that leaves something to keep is asked about once, then kept; one of
    ``final`` is not asked about.
    Every call is reported to ``listener``. Raises ``ModelFault`` with all tries.
    """
    tries: list[dict[str, Any]] = []
    reminder = ""
    for attempt in range(1 + again):
        reply = await _call(model, _reminded(request, reminder), listener, tries)
        _require_whole(request, reply, count, tries)
        try:
            value = read(reply)
        except Unusable as fault:
            told = f"{sentence_of(fault.fault)} In detail: {fault}."
            await listener.used(reply.usage.model_copy(update={"fault": fault.fault, "message": told}))
            tries.append({"fault": fault.fault, "message": str(fault), "raw": _raw(reply)})
            if fault.kept is not None and attempt > 0:
                kept: T = fault.kept
                return kept
            if fault.fault in final:
                break
            reminder = reminder_of(fault, shape_line, count)
            continue
        await listener.used(reply.usage)
        return value
    raise ModelFault(
        f"The model gave no usable answer in {len(tries)} tries. The last one: {tries[-1]['message']}.", tries
    )


def reminder_of(fault: Unusable, shape_line: str, count: Count = estimate_tokens) -> str:
    """Return what the model is told of ``fault``, in at most ``REMINDER`` tokens."""
    shape = "" if fault.fault in _WITHOUT_SHAPE else f"Reply with one JSON object: {shape_line}"
    frame = f"Your last reply could not be used: . {shape if shape_line else ''}".strip()
    return frame.replace(": .", f": {cut_text(str(fault), REMINDER - count(frame), count)}.", 1)


def too_long(fault: WindowExceeded) -> ModelFault:
    """Return the fault of a prompt that stays too long for the model."""
    message = f"The prompt is longer than the model reads: {fault} Choose a model with a larger context."
    return ModelFault(message, [{"fault": "window", "message": str(fault), "raw": ""}])


async def _call(
    model: LanguageModel, request: ModelRequest, listener: Listener, tries: list[dict[str, Any]]
) -> ModelReply:
    if tries:
        await listener.token("")
    try:
        return await model.call(request, listener)
    except ModelFault as fault:
        raise ModelFault(str(fault), [*tries, *fault.tries]) from fault


def _reminded(request: ModelRequest, reminder: str) -> ModelRequest:
    """Return ``request`` with the reminder at its very end, so that the cached beginning stays.

    In the last message, not after it: some chat templates refuse two messages of one side in a row.
    """
    if not reminder:
        return request
    *before, last = request.messages
    told = Message(role=last.role, content=f"{last.content}\n{reminder}")
    return request.model_copy(update={"messages": [*before, told]})


def _require_whole(
    request: ModelRequest, reply: ModelReply, count: Count, tries: list[dict[str, Any]]
) -> None:
    reported = reply.usage.prompt_tokens
    if reply.usage.estimated or reported < SMALLEST_WINDOW:
        return
    sent = sum(count(message.content) for message in request.messages)
    if reported >= TRUNCATED * sent:
        return
    message = (
        f"The server read only {reported} of about {sent} tokens of the prompt, silently: give the model a larger "
        "context on the server (num_ctx at Ollama), or set a smaller context for it in Daybook."
    )
    raise ModelFault(message, [*tries, {"fault": "prompt_truncated", "message": message, "raw": ""}])


def _raw(reply: ModelReply) -> str:
    calls = "\n".join(f"{call.name}({call.arguments})" for call in reply.calls)
    return "\n".join(part for part in (reply.text, reply.refusal, calls) if part)[:2000]
