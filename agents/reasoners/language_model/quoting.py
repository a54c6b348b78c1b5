"""Material from documents, tools and memory, marked as data so that it cannot speak as the prompt."""

import re

_TAG = re.compile(r"<(?=\s*/?\s*data\b)", re.IGNORECASE)


def as_data(text: str) -> str:
    """Return ``text``, which has been ``disarmed``, between data marks."""
    return f"<data>\n{text}\n</data>"


def disarmed(text: str) -> str:
    """Return ``text`` without anything that reads as a data mark: its ``<`` becomes ``‹``."""
    return _TAG.sub("‹", text)
