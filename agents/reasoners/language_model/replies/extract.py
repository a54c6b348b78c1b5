"""The objects that a reply may mean, most trustworthy first, each with what had to be undone to get it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agents.core.model import ModelReply
from agents.core.science import Value
from agents.reasoners.language_model.replies.faults import Unusable
from agents.reasoners.language_model.replies.mend import mend
from agents.reasoners.language_model.replies.scan import objects_in
from agents.reasoners.language_model.replies.strict import load_strict, require_flat, unwrapped

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"^.*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(r"<(?:think|thinking|thought|reasoning)>.*$", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)```", re.DOTALL)


class Candidate(Value):
    """An object that the reply may mean. ``call`` is the function it was addressed to, empty for text."""

    value: dict[str, Any]
    call: str = ""
    mended: list[str] = []


def candidates(reply: ModelReply) -> Iterator[Candidate | Unusable]:
    """Yield what the reply may mean, best first; an ``Unusable`` stands for a place that could not be read.

    Order: tool calls; the text without its thoughts, whole, fenced, then each balanced object; the reasoning
    when there is no text. A cut reply is read strictly: nothing is closed that the model left open.
    """
    found = False
    for item in _everywhere(reply):
        found = True
        yield item
    if not found:
        yield _nothing(reply)


def _everywhere(reply: ModelReply) -> Iterator[Candidate | Unusable]:
    for call in reply.calls:
        for item in _in_call(call.arguments, is_cut=reply.is_cut):
            yield item.model_copy(update={"call": call.name}) if isinstance(item, Candidate) else item
    text, has_thoughts = without_thoughts(reply.text)
    if text:
        yield from _noted("thoughts removed" if has_thoughts else "", _in_text(text, is_cut=reply.is_cut))
    elif reply.reasoning:
        text, _ = without_thoughts(reply.reasoning)
        yield from _noted("read from the reasoning", _in_text(text, is_cut=reply.is_cut))


def _noted(note: str, items: Iterable[Candidate | Unusable]) -> Iterator[Candidate | Unusable]:
    """Put ``note`` before what was undone to get each candidate."""
    for item in items:
        if note and isinstance(item, Candidate):
            item = item.model_copy(update={"mended": [note, *item.mended]})
        yield item


def without_thoughts(text: str) -> tuple[str, bool]:
    """Return ``text`` without thought blocks, and whether there were any.

    Also without a block whose opening was in the model's template, and without one that never closed.
    """
    plain = _THOUGHT.sub("", text)
    plain = _THOUGHT_END.sub("", plain)
    plain = _THOUGHT_START.sub("", plain)
    return plain.strip(), plain != text


def _nothing(reply: ModelReply) -> Unusable:
    if reply.refusal or reply.finish == "content_filter":
        return Unusable("refusal", "this is a plain laboratory question; answer it in the format")
    if reply.finish == "length":
        return Unusable("truncated", "the reply was cut off; answer more briefly")
    text, _ = without_thoughts(reply.text)
    written = text + "".join(str(call.arguments) for call in reply.calls)
    if "{" in written:
        return Unusable("truncated", "the JSON object does not end")
    if not written.strip():
        return Unusable("empty", "the reply was empty")
    return Unusable("no_object", "the reply holds no JSON object")


def _in_call(arguments: Any, *, is_cut: bool) -> Iterator[Candidate | Unusable]:
    if isinstance(arguments, dict):
        yield Candidate(value=arguments)
    else:
        yield from _in_text(str(arguments), is_cut=is_cut)


def _in_text(text: str, *, is_cut: bool) -> Iterator[Candidate | Unusable]:
    whole = text.strip()
    yield from _read(whole, is_cut=is_cut)
    for block in _FENCE.findall(text):
        yield from _noted("code fence", _read(block.strip(), is_cut=is_cut))
    for start, end in objects_in(text):
        if text[start:end] != whole:
            yield from _noted("text around it", _read(text[start:end], is_cut=is_cut))


def _read(text: str, *, is_cut: bool) -> Iterator[Candidate | Unusable]:
    """Yield the object that ``text`` is, as JSON or mended; nothing when it is no object at all."""
    try:
        require_flat(text)
        first = load_strict(text)
        value = unwrapped(first)
        mended = [] if value is first else ["unwrapped"]
    except Unusable as fault:
        yield fault
        return
    except ValueError:
        if is_cut or [(0, len(text))] != list(objects_in(text)):
            return
        try:
            value, mended = mend(text), ["JSON mended"]
        except Unusable as fault:
            yield fault
            return
    if isinstance(value, dict):
        yield Candidate(value=value, mended=mended)
