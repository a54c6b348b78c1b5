"""A schema in words: what a field expects, with its unit."""

from typing import Any

from agents.tools.gate.notes import Schema

_TYPES = {
    "number": "a number",
    "integer": "a whole number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a set of named values",
    "null": "nothing",
}


def expectation(schema: Schema) -> str:
    """Return what ``schema`` accepts, e.g. ``a number from 60 to 120 °C``."""
    if "anyOf" in schema:
        return " or ".join(expectation(choice) for choice in schema["anyOf"])
    unit = f" {schema['unit']}" if schema.get("unit") else ""
    if "const" in schema:
        return f"exactly {schema['const']}"
    if "enum" in schema:
        return f"one of {', '.join(str(level) for level in schema['enum'])}{unit}"
    if schema.get("format") == "smiles":
        return "a structure as SMILES, for example CCO"
    kind = schema.get("type")
    if kind in ("number", "integer"):
        return f"{_TYPES[kind]}{_range(schema)}{unit}"
    if kind == "array":
        return f"a list{_counts(schema, 'Items', 'values')}{_of(schema)}"
    if kind == "string":
        return f"text{_counts(schema, 'Length', 'characters')}{_pattern(schema)}"
    return _TYPES.get(str(kind), "a value")


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {_number(low)} to {_number(high)}"
    parts = [
        f"{word} {_number(limit)}"
        for word, limit in (("at least", low), ("above", above), ("at most", high), ("below", below))
        if limit is not None
    ]
    return f", {' and '.join(parts)}" if parts else ""


def _counts(schema: Schema, what: str, noun: str) -> str:
    low, high = schema.get(f"min{what}"), schema.get(f"max{what}")
    if low is not None and high is not None:
        return f" of {low} to {high} {noun}"
    if low is not None:
        return f" of at least {low} {noun}"
    return f" of at most {high} {noun}" if high is not None else ""


def _of(schema: Schema) -> str:
    items = schema.get("items")
    return f", each {expectation(items)}" if isinstance(items, dict) and items else ""


def _pattern(schema: Schema) -> str:
    return f" that matches {schema['pattern']}" if "pattern" in schema else ""


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
