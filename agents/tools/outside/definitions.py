"""From what a source says of a tool to a definition in our shape, with what speaks against offering it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agents.core.canonical import canonical_json, digest_of
from agents.core.errors import BadInput
from agents.core.outside import Definition
from agents.core.text import clean_text, shorten
from agents.tools.faults import InvalidOutput
from agents.tools.outside.schemas import Plainer, Schema
from agents.tools.outside.wording import hidden_in, order_in

MAX_TOOLS = 300
MAX_CHARACTERS = 60_000
DESCRIPTION = 2_000
DRIFT = "changed since it was accepted:"
"""How a refusal begins when the source defines a tool otherwise than its owner accepted it."""
TEXT_RESULT: Schema = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "data": {}},
    "required": ["text"],
    "additionalProperties": False,
}
"""What a tool without an output schema gives: its text, and data when it came with some."""


def define(
    *,
    remote: str,
    title: str,
    description: str,
    inputs: Any,
    outputs: Any,
    raw: Any,
    document: Any = None,
    call: dict[str, Any] | None = None,
) -> Definition:
    """Return the definition of a tool called ``remote``. ``raw`` is what the pin is made of; ``document`` is what
    references in the schemas lead to, the schema itself unless given. Never raises: see ``problem``."""
    made: dict[str, Any] = {
        "remote": shorten(clean_text(remote), 200),
        "title": shorten(clean_text(title), 120),
        "description": shorten(clean_text(description), DESCRIPTION),
        "call": call or {},
        "pin": digest_of(raw),
    }
    try:
        if len(canonical_json(raw)) > MAX_CHARACTERS:
            raise BadInput(f"its description and schemas are longer than {MAX_CHARACTERS:,} characters")
        made["input_schema"] = _input(inputs, document)
        made["output_schema"], shape = _result(outputs, document)
        made["call"] = {**made["call"], "shape": shape}
        for schema in (made["input_schema"], made["output_schema"]):
            _check(schema)
        texts = [remote, title, description, *_texts(inputs), *_texts(outputs)]
        if any(hidden_in(text) for text in texts):
            raise BadInput("its description holds invisible or direction-changing characters")
    except (BadInput, RecursionError, ValueError) as error:
        return Definition(
            **{**made, "input_schema": {}, "output_schema": {}}, problem=shorten(str(error), 400)
        )
    return Definition(**made, caution=_caution(texts))


def own_name(source: str, remote: str) -> str:
    """Return the name under which a tool is offered: the source's name in front, so that it hides no other."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", remote)
    plain = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")
    return f"{source}_{plain or 'tool'}"[:64].rstrip("_")


def shadowed(name: str, remote: str, installed: Iterable[str]) -> str:
    """Return the installed tool that a tool called so would be taken for, or an empty text."""
    known = {each.replace("_", ""): each for each in installed}
    bare = re.sub(r"[^a-z0-9]", "", remote.lower())
    return known.get(name.replace("_", ""), "") or known.get(bare, "")


def _input(schema: Any, document: Any) -> Schema:
    if not isinstance(schema, dict):
        raise BadInput("it has no input schema")
    plain = Plainer(schema if document is None else document).schema(schema, is_input=True)
    if plain.get("type", "object") != "object":
        raise BadInput("its input is not a set of named values")
    plain.pop("title", None)
    return {"type": "object", "properties": {}, "additionalProperties": False, **plain}


def _result(schema: Any, document: Any) -> tuple[Schema, str]:
    """Return the schema of the result and how an answer is brought to it: ``text``, ``as is`` or ``wrapped``."""
    if not schema:
        return TEXT_RESULT, "text"
    plain = Plainer(schema if document is None else document).schema(schema, is_input=False)
    if plain.get("type") == "object":
        return plain, "as is"
    return {"type": "object", "properties": {"result": plain}, "required": ["result"]}, "wrapped"


def shaped(given: Any, text: str, shape: str) -> dict[str, Any]:
    """Return an answer in the shape of its definition. Raises ``InvalidOutput`` when there is nothing to shape."""
    if shape == "text":
        return {"text": text} if given is None else {"text": text, "data": given}
    if given is None and not text.strip():
        raise InvalidOutput("the tool declares what it returns, and returned nothing")
    if given is None:
        raise InvalidOutput(f"the tool declares what it returns, and returned text: {shorten(text, 200)}")
    if shape == "wrapped":
        return {"result": given}
    if not isinstance(given, dict):
        raise InvalidOutput("the tool declares named values and returned something else")
    return given


def _check(schema: Schema) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise BadInput(f"its schema is no JSON Schema: {shorten(error.message, 200)}") from error


def _caution(texts: list[str]) -> str:
    for text in texts:
        order = order_in(text)
        if order:
            return f"its description gives orders to its reader: “{order}”"
    return ""


def _texts(node: Any) -> Iterator[str]:
    """Yield every text of a schema, names of fields too, without recursion."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            yield from (str(key) for key in found)
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
