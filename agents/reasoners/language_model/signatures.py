"""Tools in as few words as a model needs to call them rightly."""

import re
from collections.abc import Sequence
from typing import Any

from agents.core.text import shorten
from agents.core.tools import ToolSpec
from agents.reasoners.language_model.cutting import Count

FULL, NO_WORDS, BARE, NAME = range(4)
"""How much of a tool is told: signature and description; signature; argument names; name."""
DESCRIPTION = 90
"""Characters of a description."""


def tool_line(spec: ToolSpec, *, detail: int = FULL, with_results: bool = False) -> str:
    """Return one line for ``spec``: ``measure(base: KOAc|KOPiv, temperature: 90..120 °C) experiment. …``

    ``with_results`` adds what it gives, for calls that use it: ``→ smiles, source``.
    """
    if detail == NAME:
        return spec.name
    properties: dict[str, Any] = spec.input_schema.get("properties", {})
    required = set(spec.input_schema.get("required", []))
    if detail == BARE:
        return f"{spec.name}({', '.join(properties)})"
    arguments = ", ".join(
        f"{name}{'' if name in required else '?'}: {type_text(schema)}" for name, schema in properties.items()
    )
    marks = [
        mark
        for mark, is_set in (("experiment", spec.is_experiment), ("by hand", spec.executor == "person"))
        if is_set
    ]
    gives = ", ".join(spec.output_schema.get("properties", {})) if with_results else ""
    line = (
        f"{spec.name}({arguments})"
        + (f" → {gives}" if gives else "")
        + (f" [{', '.join(marks)}]" if marks else "")
    )
    words = _first_sentence(spec.description or spec.title)
    return f"{line} {words}" if detail == FULL and words else line


def tool_lines(
    tools: Sequence[ToolSpec], room: int, count: Count, *, with_results: bool = False
) -> list[str]:
    """Return a line a tool, by name, in as much detail as fits ``room`` tokens.

    Experiments keep their signature whatever it costs: without it no argument can be right.
    """
    ordered = sorted(tools, key=lambda spec: spec.name)
    lines: list[str] = []
    fullest = [(FULL, True)] if with_results else []
    for detail, results in (*fullest, (FULL, False), (NO_WORDS, False), (BARE, False), (NAME, False)):
        own = min(detail, NO_WORDS)
        lines = [
            tool_line(spec, detail=own if spec.is_experiment else detail, with_results=results)
            for spec in ordered
        ]
        if count("\n".join(lines)) <= room:
            break
    return lines


def type_text(schema: dict[str, Any]) -> str:
    """Return a JSON Schema as a short type: levels, range or type name, with the unit."""
    unit = f" {schema['unit']}" if schema.get("unit") else ""
    if "enum" in schema:
        return "|".join(str(level) for level in schema["enum"]) + unit
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("type", "any")
    if kind in ("number", "integer"):
        return _range_text(schema, kind) + unit
    if kind == "array":
        return f"[{type_text(schema.get('items', {}))}]"
    if kind == "object" and schema.get("properties"):
        inner = ", ".join(f"{name}: {type_text(part)}" for name, part in schema["properties"].items())
        return f"{{{inner}}}"
    return {"string": "text", "boolean": "true|false"}.get(str(kind), str(kind))


def _range_text(schema: dict[str, Any], kind: str) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None and high is None:
        return str(kind)
    whole = "integer " if kind == "integer" else ""
    if low is None:
        return f"{whole}<={high:g}"
    if high is None:
        return f"{whole}>={low:g}"
    return f"{whole}{low:g}..{high:g}"


def _first_sentence(text: str) -> str:
    first = re.split(r"(?<=[.。])\s", " ".join(text.split()), maxsplit=1)[0]
    return shorten(first, DESCRIPTION)
