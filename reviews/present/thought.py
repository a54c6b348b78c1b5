"""What a model is saying, for people: the texts of a half-written JSON answer instead of its brackets."""

import json
import re
from collections.abc import Iterator

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)("|\\?$)', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{0,3})?$")
_FENCE = re.compile(r"^\s*```\w*\s*")
_OF_MACHINES = frozenset({"tool", "op", "id", "kind", "unit", "objective", "finding"})
"""Names whose values say nothing to a reader."""


def said_so_far(text: str) -> str:
    """Return what a model has said so far: prose as it is, of JSON the texts with their names, a line each.

    A text that is still being written is shown as far as it came. JSON without any text yet gives an empty text.
    """
    body = _FENCE.sub("", text)
    start = body.find("{")
    if start < 0 or not re.match(r'\{\s*("|$)', body[start:]):
        return text
    prose = body[:start].strip().removesuffix("```json").strip()
    return "\n".join([*([prose] if prose else []), *_texts(body[start:])])


def _texts(body: str) -> Iterator[str]:
    name = parent = ""
    for found in _STRING.finditer(body):
        value, after = _value(found[1]), body[found.end() :].lstrip()
        if not found[2].startswith('"') and body[: found.start()].rstrip()[-1:] not in (":", "["):
            return  # the beginning of a name, or of a text that may be one
        if found[2] == '"' and after.startswith(":"):
            name = value
            if after[1:].lstrip().startswith("{"):
                parent = value
        elif value.strip() and name not in _OF_MACHINES:
            title = (parent if name == "text" else name).replace("_", " ")
            yield f"{title}: {value}" if title else value


def _value(raw: str) -> str:
    try:
        return str(json.loads(f'"{_HALF_ESCAPE.sub("", raw)}"', strict=False))
    except ValueError:
        return raw
