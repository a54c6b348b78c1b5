"""The pictures among a call's results: files of the store that may be shown."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PNG = "image/png"
PNG_BEGINNING = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Picture:
    """A PNG in the store. ``caption`` says in words what it shows, as far as its tool said so."""

    content_hash: str
    caption: str


def stored_picture(content_hash: str) -> dict[str, str]:
    """Return what stands in a result in place of a picture's content."""
    return {"artifact": content_hash, "media_type": PNG}


def is_stored_picture(value: Any) -> bool:
    """Return True for what ``stored_picture`` makes."""
    return isinstance(value, dict) and set(value) == {"artifact", "media_type"} and value["media_type"] == PNG


def pictures_of(result: dict[str, Any]) -> list[Picture]:
    """Return the pictures of a ``ToolResult`` as JSON, in order.

    Only files that the executor stored for this call count: whatever else a tool writes into its data, it
    cannot name a file of somebody else.
    """
    own = set(result.get("artifacts") or ())
    return [picture for picture in _found(result.get("data")) if picture.content_hash in own]


def _found(value: Any) -> Iterator[Picture]:
    if isinstance(value, list):
        for item in value:
            yield from _found(item)
    if not isinstance(value, dict):
        return
    caption = value.get("caption")
    for item in value.values():
        if is_stored_picture(item):
            yield Picture(str(item["artifact"]), caption if isinstance(caption, str) else "")
        else:
            yield from _found(item)
