"""Schemas from outside made plain: nothing by reference, no patterns, the dialects of OpenAPI read as JSON Schema."""

from typing import Any

from agents.core.errors import BadInput

Schema = dict[str, Any]

MAX_NODES = 5_000
MAX_DEPTH = 30
_MAPS = ("properties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
# A pattern from a stranger may take for ever to match; the source checks its own patterns.
_DROPPED = ("$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "pattern", "patternProperties")


class Plainer:
    """Writes out the references of one document. Raises ``BadInput`` for what cannot be written out."""

    def __init__(self, document: Any) -> None:
        from referencing import Registry
        from referencing.jsonschema import DRAFT202012

        # An empty registry: what leads out of the document is an error, never a download.
        resource = DRAFT202012.create_resource(document)
        self._resolver = Registry().with_resource("", resource).resolver("")
        self._nodes = 0

    def target(self, node: Any) -> Any:
        """Return what ``node`` refers to, or ``node`` itself."""
        seen: set[str] = set()
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            if node["$ref"] in seen or len(seen) > MAX_DEPTH:
                raise BadInput(f"the reference {node['$ref']} leads to itself")
            seen.add(node["$ref"])
            node = self._look_up(node["$ref"])
        return node

    def schema(self, node: Any, *, is_input: bool) -> Schema:
        """Return ``node`` as a plain schema; input objects are closed, so that a misspelled field is named."""
        plain = self._plain(node, (), is_input=is_input)
        return plain if isinstance(plain, dict) else {}

    def _look_up(self, reference: str) -> Any:
        if not reference.startswith("#"):
            raise BadInput(f"the schema refers to {reference[:120]}, which is outside the document")
        try:
            return self._resolver.lookup(reference).contents
        except Exception as error:  # the library raises many kinds for a pointer that leads nowhere
            raise BadInput(f"the schema refers to {reference[:120]}, which is not there") from error

    def _plain(self, node: Any, within: tuple[str, ...], *, is_input: bool) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or len(within) > MAX_DEPTH:
            raise BadInput(f"the schema is larger than {MAX_NODES} parts when it is written out")
        if not isinstance(node, dict):
            return node
        if isinstance(node.get("$ref"), str):
            reference = node["$ref"]
            if reference in within:
                raise BadInput(f"the schema {reference} contains itself; tools need flat inputs and outputs")
            found = self._plain(self._look_up(reference), (*within, reference), is_input=is_input)
            beside = {key: value for key, value in node.items() if key in ("description", "title", "default")}
            return {**found, **beside} if isinstance(found, dict) else found
        result = {key: self._part(key, value, within, is_input=is_input) for key, value in node.items()}
        result = {key: value for key, value in result.items() if key not in _DROPPED}
        return _in_our_dialect(result, is_input=is_input)

    def _part(self, key: str, value: Any, within: tuple[str, ...], *, is_input: bool) -> Any:
        if key in _MAPS and isinstance(value, dict):
            return {name: self._plain(inner, within, is_input=is_input) for name, inner in value.items()}
        if key in _LISTS and isinstance(value, list):
            return [self._plain(inner, within, is_input=is_input) for inner in value]
        if key in _SINGLE:
            return self._plain(value, within, is_input=is_input)
        return value


def _in_our_dialect(schema: Schema, *, is_input: bool) -> Schema:
    """Read OpenAPI 3.0's own keywords; for an input, take "or null" as "may be left out"."""
    for limit, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(limit), bool):
            is_exclusive = schema.pop(limit)
            if is_exclusive and bound in schema:
                schema[limit] = schema.pop(bound)
    if schema.pop("nullable", False) and not is_input:
        return {"anyOf": [schema, {"type": "null"}]}
    if not is_input:
        return schema
    kinds = schema.get("type")
    if isinstance(kinds, list):
        rest = [kind for kind in kinds if kind != "null"]
        schema["type"] = rest[0] if len(rest) == 1 else rest
    if isinstance(schema.get("properties"), dict):
        schema.setdefault("additionalProperties", False)
    return _without_null(schema)


def _without_null(schema: Schema) -> Schema:
    choices = schema.get("anyOf")
    if not isinstance(choices, list) or {"type": "null"} not in choices:
        return schema
    rest = [choice for choice in choices if choice != {"type": "null"}]
    kept = {key: value for key, value in schema.items() if key != "anyOf"}
    if kept.get("default", 0) is None:
        del kept["default"]
    return {**rest[0], **kept} if len(rest) == 1 else {**kept, "anyOf": rest}
