"""Safe coercions: a value that can only mean one thing is read as that, and the change is recorded.

Never guessed: text that is no number, NaN and infinity, true and false as numbers, unknown levels.
"""

import json
import unicodedata
from typing import Any

from agents.core.text import clean_text
from agents.tools.gate.notes import Notes, Schema, folded, is_finite, nearest, same_name, shown
from agents.tools.gate.words import expectation
from agents.tools.units import UnitMismatch, convert, split_quantity


def coerce(value: Any, schema: Schema, *, field: str, notes: Notes) -> Any:
    """Return ``value`` with safe coercions made and recorded in ``notes``; what cannot be read stays as it is,
    for the validator to refuse. Faults that only this pass can name (extra fields, units) are noted."""
    if isinstance(value, str):
        value = _cleaned(value, field=field, notes=notes)
    if isinstance(value, str) and schema.get("format") == "smiles" and value != value.strip():
        notes.changed(field, received=value, used=value.strip())
        return value.strip()
    if "enum" in schema:
        return _level(value, schema, field=field, notes=notes)
    kind = schema.get("type")
    if kind in ("object", "array") and isinstance(value, str):
        value = _unwrapped(value, kind, field=field, notes=notes)
    if kind == "object" and isinstance(value, dict):
        return _object(value, schema, field=field, notes=notes)
    if kind == "array" and isinstance(value, list):
        items = schema.get("items") or {}
        return [coerce(item, items, field=f"{field}[{i}]", notes=notes) for i, item in enumerate(value)]
    if kind in ("number", "integer"):
        return _number(value, schema, field=field, notes=notes)
    if kind == "boolean" and isinstance(value, str):
        return _boolean(value, field=field, notes=notes)
    return value


def _cleaned(value: str, *, field: str, notes: Notes) -> str:
    clean = clean_text(value)
    if clean != value:
        notes.changed(field, received=value, used=clean)
    return clean


def _object(value: dict[str, Any], schema: Schema, *, field: str, notes: Notes) -> dict[str, Any]:
    fields: dict[str, Schema] = schema.get("properties") or {}
    required = schema.get("required", [])
    result: dict[str, Any] = {}
    for key, item in value.items():
        name = _field_name(str(key), value, schema, field=field, notes=notes)
        if name is None or (item is None and name in fields and name not in required):
            continue
        result[name] = coerce(item, fields.get(name, {}), field=_path(field, name), notes=notes)
    for name, inner in fields.items():
        if name not in result and "default" in inner and name not in required:
            result[name] = inner["default"]
    return result


def _field_name(key: str, value: dict[str, Any], schema: Schema, *, field: str, notes: Notes) -> str | None:
    """Return the field that ``key`` means; None, with a problem noted, when it means none."""
    fields = list(schema.get("properties") or {})
    if key in fields or schema.get("additionalProperties", True) is not False:
        return key
    meant = same_name(key, [name for name in fields if name not in value])
    rivals = [other for other in value if other not in fields and folded(str(other)) == folded(key)]
    if meant and len(rivals) == 1:
        notes.changed(_path(field, meant), received=f"field {key!r}", used=f"field {meant!r}")
        return meant
    close = nearest(key, fields)
    known = f"one of the fields {', '.join(fields)}" if fields else "no fields here"
    hint = f"; did you mean {close}?" if close else "; leave it out"
    notes.refuse(
        _path(field, key),
        expected=known,
        received=value.get(key, key),
        message=f"field {_path(field, key)} does not exist: expected {known}{hint}",
    )
    return None


def _level(value: Any, schema: Schema, *, field: str, notes: Notes) -> Any:
    """Return the level that ``value`` means: equal number, or equal text but for case and outer spaces."""
    levels = schema["enum"]
    exact = [level for level in levels if type(level) is type(value) and level == value]
    if exact:
        return value
    if all(_is_number(level) for level in levels):
        number = _number(value, {k: v for k, v in schema.items() if k != "enum"}, field=field, notes=notes)
        equal = [level for level in levels if _is_number(number) and level == number]
        return equal[0] if equal else value
    if not isinstance(value, str):
        return value
    text = " ".join(value.split()).casefold()
    alike = [
        level for level in levels if isinstance(level, str) and " ".join(level.split()).casefold() == text
    ]
    if len(alike) != 1:
        return value
    notes.changed(field, received=value, used=alike[0])
    return alike[0]


def _number(value: Any, schema: Schema, *, field: str, notes: Notes) -> Any:
    unit = schema.get("unit", "")
    number: Any = value
    if isinstance(value, str):
        number = _from_text(value, unit, field=field, notes=notes)
    elif isinstance(value, dict) and set(value) == {"value", "unit"} and unit:
        number = _in_unit(value["value"], str(value["unit"]), unit, field=field, received=value, notes=notes)
    if not _is_number(number) or not is_finite(number):
        return value
    is_whole = isinstance(number, float) and number.is_integer() and abs(number) < 2**53
    if is_whole and (schema.get("type") == "integer" or isinstance(value, str)):
        number = int(number)
    if number is not value and (type(number) is not type(value) or number != value):
        notes.changed(field, received=value, used=number)
    return number


def _from_text(value: str, unit: str, *, field: str, notes: Notes) -> Any:
    found = split_quantity(unicodedata.normalize("NFKC", value))
    if found is None:
        return value
    number, given = found
    if not given:
        return number
    if not unit:
        return value
    return _in_unit(number, given, unit, field=field, received=value, notes=notes)


def _in_unit(number: Any, given: str, unit: str, *, field: str, received: Any, notes: Notes) -> Any:
    if not _is_number(number) or not is_finite(number):
        return received
    try:
        return convert(float(number), given=given, wanted=unit)
    except UnitMismatch as mismatch:
        notes.refuse(
            field,
            expected=f"a value in {unit}",
            received=received,
            message=f"field {field}: expected a value in {unit}, received {shown(received)}: {mismatch}",
        )
        return received


def _boolean(value: str, *, field: str, notes: Notes) -> Any:
    meant = {"true": True, "false": False}.get(value.strip().casefold())
    if meant is None:
        return value
    notes.changed(field, received=value, used=meant)
    return meant


def _unwrapped(value: str, kind: str, *, field: str, notes: Notes) -> Any:
    """Read a list or object that came as JSON text."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if not isinstance(found, list if kind == "array" else dict):
        return value
    notes.changed(field, received=value, used=expectation({"type": kind}))
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _path(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name
