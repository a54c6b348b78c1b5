"""Text cleaned where it enters, so that every database and page behaves alike."""

import json
import re
import unicodedata
from typing import Any

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_SUSPECT = re.compile(r"\\[ubf]|[\x7f\ud800-\udfff]")
"""What the JSON of unclean text has in it; a backslash of the text itself may look like it and costs a closer look."""
BIDI_AND_ZERO_WIDTH = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def clean_text(text: str) -> str:
    """Drop NUL and other control characters and lone surrogates; normalise to NFC."""
    if text.isascii() and (text.isprintable() or not _CONTROL.search(text)):
        # Nearly all that is cleaned, and every name of a field: there is nothing to do.
        return text
    return unicodedata.normalize("NFC", _SURROGATE.sub("�", _CONTROL.sub("", text)))


def clean_value(value: Any) -> Any:
    """Apply ``clean_text`` to every string of a JSON value, keys included; return a copy of what holds anything."""
    if isinstance(value, str):
        return clean_text(value)
    if not isinstance(value, dict | list | tuple):
        return value
    text = _spelling_of(value)
    return _cleaned(value) if text is None else json.loads(text)


def _spelling_of(value: Any) -> str | None:
    """Return ``value`` as JSON when all of its text is clean, which one look at the whole tells; else None."""
    try:
        text = _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):
        return None
    if _SUSPECT.search(text) or not (text.isascii() or unicodedata.is_normalized("NFC", text)):
        return None
    return text


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value


def shorten(text: str, limit: int) -> str:
    """Cut ``text`` at a word boundary to at most ``limit`` characters, with an ellipsis."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head) + "…"


def with_article(word: str) -> str:
    """Return ``word`` behind its indefinite article, to begin a sentence: ``An attention``, ``A proposal``."""
    return f"{'An' if word[:1].lower() in 'aeiou' else 'A'} {word}"
