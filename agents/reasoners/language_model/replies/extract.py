"""The objects that a reply may mean, most trustworthy first, each with what had to be undone to get it."""

import re
from collections.abc import Iterator
from typing import Any

from agents.core.model import ModelReply
from agents.core.science import Value
from agents.reasoners.language_model.replies.faults import Unusable
from agents.reasoners.language_model.replies.mend import mend
from agents.reasoners.language_model.replies.scan import objects_in
from agents.reasoners.language_model.replies.strict import load_strict, unwrapped

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
    for name, arguments in ((call.name, call.arguments) for call in reply.calls):
        for item in _read(arguments, is_cut=reply.is_cut):
            found = True
            yield item if isinstance(item, Unusable) else item.model_copy(update={"call": name})
    text, thoughts = without_thoughts(reply.text)
    source = "thoughts removed" if thoughts else ""
    if not text.strip() and reply.reasoning.strip():
        text, _ = without_thoughts(reply.reasoning)
        source = "read from the reasoning"
    for item in _in_text(text, is_cut=reply.is_cut):
        found = True
        if isinstance(item, Candidate) and source:
            item = item.model_copy(update={"mended": [source, *item.mended]})
        yield item
    if not found:
        yield _nothing(reply, text)


def without_thoughts(text: str) -> tuple[str, bool]:
    """Return ``text`` without thought blocks, and whether there were any.

    Also without a block whose opening was in the model's template, and without one that never closed.
    """
    plain = _THOUGHT.sub("", text)
    plain = _THOUGHT_END.sub("", plain)
    plain = _THOUGHT_START.sub("", plain)
    return plain.strip(), plain != text


def _nothing(reply: ModelReply, text: str) -> Unusable:
    if reply.refusal or reply.finish == "content_filter":
        return Unusable("refusal", "this is a plain laboratory question; answer it in the format")
    if reply.finish == "length":
        return Unusable("truncated", "the reply was cut off; answer more briefly")
    if "{" in text or any("{" in str(call.arguments) for call in reply.calls):
        return Unusable("truncated", "the JSON object does not end")
    if not text.strip():
        return Unusable("empty", "the reply was empty")
    return Unusable("no_object", "the reply holds no JSON object")


def _in_text(text: str, *, is_cut: bool) -> Iterator[Candidate | Unusable]:
    whole = text.strip()
    if whole[:1] in ("{", "[", '"'):
        yield from _read(whole, is_cut=is_cut, quietly=True)
    for block in _FENCE.findall(text):
        for item in _read(block.strip(), is_cut=is_cut, quietly=True):
            yield (
                item.model_copy(update={"mended": ["code fence", *item.mended]})
                if isinstance(item, Candidate)
                else item
            )
    for start, end in objects_in(text):
        if text[start:end] == whole:
            continue
        for item in _read(text[start:end], is_cut=is_cut):
            yield (
                item.model_copy(update={"mended": ["text around it", *item.mended]})
                if isinstance(item, Candidate)
                else item
            )


def _read(raw: Any, *, is_cut: bool, quietly: bool = False) -> Iterator[Candidate | Unusable]:
    """Yield the one object that ``raw`` is: as an object, as JSON, mended. ``quietly``: say nothing of text
    that is no object at all, since other readings of it follow."""
    if isinstance(raw, dict):
        yield Candidate(value=raw)
        return
    text = str(raw).strip()
    try:
        value, mended = _load(text, is_cut=is_cut)
    except Unusable as fault:
        yield fault
        return
    except ValueError:
        return
    if isinstance(value, dict):
        yield Candidate(value=value, mended=mended)
    elif not quietly:
        yield Unusable("wrong_shape", "the reply must be one JSON object")


def _load(text: str, *, is_cut: bool) -> tuple[Any, list[str]]:
    """Return the value and what was undone. Raises ``ValueError`` when there is nothing balanced to read."""
    try:
        first = load_strict(text)
        value = unwrapped(first)
        return value, [] if value is first else ["unwrapped"]
    except ValueError:
        spans = list(objects_in(text))
        if is_cut or len(spans) != 1:
            raise
    start, end = spans[0]
    return mend(text[start:end]), ["JSON mended"]
