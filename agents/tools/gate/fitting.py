"""Whether what one step gives can be what another takes: field, type and unit, from the schemas alone."""

from typing import Any

from agents.tools.gate.notes import Schema, nearest
from agents.tools.gate.words import expectation
from agents.tools.units import UnitMismatch, convert, same_unit

_ANY: Schema = {}


class NoField(LookupError):
    """A schema has nothing at a path. The message says what it has."""


def schema_at(schema: Schema, path: tuple[str | int, ...]) -> Schema:
    """Return the schema of what lies at ``path``; an empty one where the schema does not say.

    Raises ``NoField`` when it says that there is nothing.
    """
    for part in path:
        if isinstance(part, int):
            if schema.get("type") not in (None, "array"):
                raise NoField(f"it is {expectation(schema)}, not a list")
            schema = schema.get("items") or _ANY
            continue
        fields: dict[str, Schema] = schema.get("properties") or {}
        if part in fields:
            schema = fields[part]
            continue
        extra = schema.get("additionalProperties")
        if fields or schema.get("type") not in (None, "object") or extra is False:
            close = nearest(str(part), list(fields))
            known = f"it gives {', '.join(fields)}" if fields else "it gives no named values"
            raise NoField(f"{known}{f'; did you mean {close}?' if close else ''}")
        schema = extra if isinstance(extra, dict) else _ANY
    return schema


def misfit(given: Schema, wanted: Schema) -> str:
    """Return why a value of schema ``given`` cannot be one of ``wanted``, or an empty text.

    What only the value can show, such as bounds and levels, is left to the gate before the call.
    """
    if not wanted or not given:
        return ""
    for choices in (wanted.get("anyOf"), wanted.get("oneOf")):
        if choices:
            faults = [misfit(given, choice) for choice in choices]
            return "" if "" in faults else faults[0]
    if _kind(given) != _kind(wanted) and (_kind(given), _kind(wanted)) != ("integer", "number"):
        return f"expected {expectation(wanted)}, and it is {expectation(given)}" if _kind(given) else ""
    if _kind(wanted) == "array":
        return misfit(given.get("items") or _ANY, wanted.get("items") or _ANY)
    return _unit_misfit(given.get("unit", ""), wanted.get("unit", ""), wanted)


def _kind(schema: Schema) -> str:
    if "enum" in schema:
        return "string" if all(isinstance(level, str) for level in schema["enum"]) else "number"
    return str(schema.get("type", ""))


def _unit_misfit(given: str, wanted: str, schema: Schema) -> str:
    if not wanted or same_unit(given, wanted):
        return ""
    if not given:
        return f"expected {expectation(schema)}, and it is a number without a unit"
    try:
        convert(1.0, given=given, wanted=wanted)
    except UnitMismatch as mismatch:
        return f"expected {expectation(schema)}: {mismatch}"
    return ""


def in_unit(value: Any, given: Schema, wanted: Schema) -> Any:
    """Return ``value`` of schema ``given`` in the unit of ``wanted``; as it is where no unit differs."""
    if isinstance(value, list):
        return [in_unit(item, given.get("items") or _ANY, wanted.get("items") or _ANY) for item in value]
    before, after = given.get("unit", ""), wanted.get("unit", "")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not before or not after or same_unit(before, after):
        return value
    return convert(float(value), given=before, wanted=after)
