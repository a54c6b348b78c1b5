"""JSON Schemas kept plain: type, enum, bounds, title, description and ``unit``, nothing by reference."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.science import Parameter, Space

Schema = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """Metadata of a numeric field: ``volume: Annotated[float, Unit("mL")]``. Shown, and checked by pint."""

    text: str

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> Schema:
        schema: Schema = handler(core)
        return {**schema, "unit": self.text}


Smiles = Annotated[str, Field(min_length=1, max_length=1000, json_schema_extra={"format": "smiles"})]
"""A structure as SMILES: the gate refuses text that RDKit cannot read."""

Png = Annotated[str, Field(json_schema_extra={"contentMediaType": "image/png", "contentEncoding": "base64"})]
"""A picture in a result, as PNG in base64. It is stored as a file and shown with the result."""


def plain_schema(model: type[BaseModel], *, mode: str = "validation") -> Schema:
    """Return the JSON Schema of ``model`` with references replaced by what they name.

    An optional field is one that is not in ``required``; its ``null`` alternative is dropped, since the
    gate takes null for "not given". Raises ``ValueError`` for a model that contains itself.
    """
    raw = model.model_json_schema(mode="serialization" if mode == "serialization" else "validation")
    schema = _resolved(raw, raw.get("$defs", {}), ())
    schema.pop("$defs", None)
    schema.pop("title", None)
    return {"additionalProperties": False, **schema}


def parameter_schema(parameter: Parameter, *, is_bounded: bool = True) -> Schema:
    """Return the schema of one factor. Without bounds for what was really done, which may miss the plan."""
    schema: Schema = {"title": parameter.label or parameter.name}
    if parameter.unit:
        schema["unit"] = parameter.unit
    if parameter.kind == "categorical":
        return {"type": "string", "enum": list(parameter.levels), **schema}
    schema["type"] = "integer" if parameter.kind == "integer" and is_bounded else "number"
    if not is_bounded:
        return schema
    if parameter.levels:
        return {**schema, "enum": [_whole(level) for level in parameter.levels]}
    return {**schema, "minimum": _whole(parameter.low), "maximum": _whole(parameter.high)}


def space_schema(space: Space, *, is_bounded: bool = True) -> Schema:
    """Return the schema of conditions: one property a parameter. All are required when bounded."""
    return {
        "type": "object",
        "properties": {p.name: parameter_schema(p, is_bounded=is_bounded) for p in space.parameters},
        "required": [p.name for p in space.parameters] if is_bounded else [],
        "additionalProperties": False,
    }


def external_references(schema: Any) -> list[str]:
    """Return the references of ``schema`` that lead out of it: they would have to be fetched."""
    if isinstance(schema, list):
        return [found for item in schema for found in external_references(item)]
    if not isinstance(schema, dict):
        return []
    reference = schema.get("$ref")
    own = [reference] if isinstance(reference, str) and not reference.startswith("#") else []
    return own + [found for item in schema.values() for found in external_references(item)]


def _whole(value: Any) -> Any:
    """Show 90.0 as 90."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _resolved(node: Any, definitions: dict[str, Any], within: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_resolved(item, definitions, within) for item in node]
    if not isinstance(node, dict):
        return node
    node = dict(node)
    if "$ref" in node:
        name = node.pop("$ref").removeprefix("#/$defs/")
        if name in within:
            raise ValueError(f"the model {name} contains itself; tools need flat inputs and outputs")
        return {**_resolved(definitions[name], definitions, (*within, name)), **node}
    plain = {key: _resolved(value, definitions, within) for key, value in node.items() if key != "$defs"}
    if isinstance(plain.get("properties"), dict):
        plain["properties"] = {name: _titled(name, field) for name, field in plain["properties"].items()}
        # Pydantic drops a field that it does not know; a misspelled one must be named instead.
        plain.setdefault("additionalProperties", False)
    return _without_null(plain)


def _titled(name: str, field: Schema) -> Schema:
    """Replace pydantic's own title, "Final Volume", by one as people write it."""
    if field.get("title") != name.replace("_", " ").title():
        return field
    return {**field, "title": name.replace("_", " ").capitalize() if name.islower() else name}


def _without_null(schema: Schema) -> Schema:
    choices = schema.get("anyOf")
    if not isinstance(choices, list) or {"type": "null"} not in choices:
        return schema
    rest = [choice for choice in choices if choice != {"type": "null"}]
    kept = {key: value for key, value in schema.items() if key != "anyOf"}
    if kept.get("default", 0) is None:
        del kept["default"]
    return {**rest[0], **kept} if len(rest) == 1 else {**kept, "anyOf": rest}
