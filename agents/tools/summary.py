"""A result in one sentence, and a long one as an artifact with its statistics."""

import inspect
import json
import statistics
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from agents.core.canonical import canonical_json
from agents.core.pictures import is_stored_picture
from agents.core.text import shorten
from agents.core.tools import ToolSpec
from agents.tools.faults import InvalidOutput

MAX_RESULT_CHARACTERS = 8_000
"""Longer results do not go into memory or events: they become an artifact."""


Keep = Callable[[dict[str, Any]], dict[str, Any]]


class ArtifactWriter(Protocol):
    """Stores a file by content and returns its hash."""

    def __call__(self, content: bytes, *, name: str, media_type: str) -> Awaitable[str] | str: ...


def nothing(data: dict[str, Any]) -> dict[str, Any]:
    """Keep nothing of a long result beside its outline."""
    return {}


async def bounded(
    data: dict[str, Any],
    spec: ToolSpec,
    write_artifact: ArtifactWriter | None,
    *,
    kept: Keep = nothing,
) -> tuple[dict[str, Any], list[str]]:
    """Return ``data`` and no artifact when it is short; else its outline and the hash of the whole.

    ``kept`` chooses what stands beside the outline as it came. Raises ``InvalidOutput`` for a long result when there is nowhere to store it.
    """
    text = canonical_json(data)
    if len(text) <= MAX_RESULT_CHARACTERS:
        return data, []
    if write_artifact is None:
        raise InvalidOutput(
            f"the result has {len(text):,} characters, more than {MAX_RESULT_CHARACTERS:,}, "
            "and there is no artifact store to keep it"
        )
    content = json.dumps(data, ensure_ascii=False, indent=1).encode()
    stored = write_artifact(content, name=f"{spec.name}.json", media_type="application/json")
    digest = await stored if inspect.isawaitable(stored) else stored
    return {"artifact": digest, "characters": len(text), "outline": outline(data), **kept(data)}, [digest]


def outline(data: dict[str, Any]) -> dict[str, Any]:
    """Return ``data`` with long lists replaced by rows, columns and statistics, and long text cut."""
    return {key: _outlined(value) for key, value in list(data.items())[:40]}


def sentence(data: dict[str, Any], spec: ToolSpec) -> str:
    """Return the result as one sentence with units, e.g. ``Measure: yield 78.1 %.``"""
    caption = data.get("caption")
    if isinstance(caption, str) and caption and any(map(is_stored_picture, data.values())):
        return shorten(f"{spec.title or spec.name}: {caption}.", 300)
    fields = (spec.output_schema or {}).get("properties", {})
    told = [
        (name, value)
        for name, value in data.items()
        if value not in ("", None, [], {}) and not is_stored_picture(value)
    ]
    parts = [_part(name, value, fields.get(name, {})) for name, value in told[:8]]
    more = f" and {len(told) - 8} more" if len(told) > 8 else ""
    return shorten(f"{spec.title or spec.name}: {', '.join(parts) or 'done'}{more}.", 300)


def _part(name: str, value: Any, schema: dict[str, Any]) -> str:
    label = name.replace("_", " ")
    if isinstance(value, bool) or value is None:
        return f"{label} {'yes' if value else 'no'}"
    if isinstance(value, int | float):
        return f"{label} {value:.5g} {schema.get('unit', '')}".rstrip()
    if isinstance(value, list):
        return f"{label} {_listed(value)}"
    if isinstance(value, dict):
        return f"{label} ({', '.join(_part(k, v, {}) for k, v in list(value.items())[:4])})"
    return f"{label} {shorten(str(value), 60)}"


def _listed(value: list[Any]) -> str:
    if len(value) <= 4 and all(isinstance(item, int | float | str) for item in value):
        return " ".join(f"{item:.5g}" if isinstance(item, float) else str(item) for item in value)
    return f"with {len(value)} entries"


def _outlined(value: Any) -> Any:
    if isinstance(value, str):
        return shorten(value, 400)
    if isinstance(value, dict):
        return outline(value)
    if not isinstance(value, list) or len(value) <= 10:
        return value
    if all(isinstance(row, dict) for row in value):
        columns = list(dict.fromkeys(key for row in value for key in row))[:40]
        stats = {column: _statistics([row.get(column) for row in value]) for column in columns}
        return {"rows": len(value), "columns": columns, "statistics": {k: v for k, v in stats.items() if v}}
    return {"rows": len(value), "statistics": _statistics(value)}


def _statistics(values: list[Any]) -> dict[str, float]:
    numbers = [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if not numbers:
        return {}
    return {
        "count": len(numbers),
        "min": min(numbers),
        "mean": statistics.fmean(numbers),
        "max": max(numbers),
    }
