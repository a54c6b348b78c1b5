"""The operations of a document as tools: parameters and the fields of a JSON body become arguments."""

from typing import Any

from agents.core.errors import BadInput
from agents.core.outside import Definition
from agents.tools.outside.definitions import MAX_TOOLS, define
from agents.tools.outside.schemas import Plainer, Schema

METHODS = ("get", "post", "put", "patch", "delete")
JSON = "application/json"


def operations_of(document: dict[str, Any], base: str) -> list[Definition]:
    """Return each operation of ``document``. One that cannot be called says why; raises ``BadInput`` for too many."""
    found = [
        _definition(document, base, path, method, Plainer(document).target(item))
        for path, item in (document.get("paths") or {}).items()
        for method in METHODS
        if isinstance(Plainer(document).target(item), dict) and method in Plainer(document).target(item)
    ]
    if len(found) > MAX_TOOLS:
        raise BadInput(f"the document has {len(found)} operations; at most {MAX_TOOLS} are read")
    if not found:
        raise BadInput("the document has no operation")
    return found


def _definition(
    document: dict[str, Any], base: str, path: str, method: str, item: dict[str, Any]
) -> Definition:
    operation = item[method]
    remote = str(operation.get("operationId") or f"{method} {path}")
    told = " ".join(str(operation.get(key) or "") for key in ("summary", "description")).strip()
    given: dict[str, Any] = {
        "remote": remote,
        "title": str(operation.get("summary") or ""),
        "description": told,
    }
    plain = Plainer(document)
    call: dict[str, Any] = {"method": method.upper(), "path": path, "base": base, "places": {}, "body": ""}
    try:
        inputs = _inputs(plain, item, operation, call)
        outputs = plain.schema(_output(plain, operation), is_input=False)
    except BadInput as error:
        return define(**given, inputs=None, outputs=None, raw=operation, call=call).model_copy(
            update={"problem": str(error)}
        )
    raw = {"call": call, "description": told, "input": inputs, "output": outputs}
    return define(**given, inputs=inputs, outputs=outputs, raw=raw, call=call)


def _inputs(plain: Plainer, item: dict[str, Any], operation: dict[str, Any], call: dict[str, Any]) -> Schema:
    fields: dict[str, Schema] = {}
    required: list[str] = []
    stated: dict[tuple[str, str], dict[str, Any]] = {}
    for each in [*(item.get("parameters") or []), *(operation.get("parameters") or [])]:
        parameter = plain.target(each)
        stated[parameter.get("name", ""), parameter.get("in", "")] = parameter
    for (name, place), parameter in stated.items():
        if place not in ("path", "query", "header"):
            raise BadInput(f"its parameter {name} is sent as a {place}, which tools do not do")
        if place == "header" and name.lower() in ("authorization", "cookie", "host", "content-length"):
            continue
        schema = plain.schema(parameter.get("schema") or {"type": "string"}, is_input=True)
        told = {"description": str(parameter["description"])} if parameter.get("description") else {}
        fields[name] = {**schema, **told}
        call["places"][name] = place
        if parameter.get("required") or place == "path":
            required.append(name)
    body = plain.target(operation.get("requestBody") or {})
    if body:
        _add_body(plain, body, fields, required, call)
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def _add_body(
    plain: Plainer, body: dict[str, Any], fields: dict[str, Schema], required: list[str], call: dict[str, Any]
) -> None:
    """Put the fields of a JSON object beside the parameters; any other body is one argument called ``body``."""
    content = body.get("content") or {}
    media = next((name for name in content if name.split(";")[0].strip() == JSON), None)
    if media is None:
        raise BadInput(f"its body is {', '.join(content) or 'of no known kind'}; only {JSON} is sent")
    schema = plain.schema(content[media].get("schema") or {}, is_input=True)
    inner = schema.get("properties") or {}
    if schema.get("type") == "object" and inner and not inner.keys() & fields.keys():
        fields |= inner
        call["places"] |= dict.fromkeys(inner, "body")
        call["body"] = "fields"
        required += schema.get("required", []) if body.get("required") else []
    elif "body" in fields:
        raise BadInput("its body and a parameter are both called body")
    else:
        fields["body"] = schema
        call["body"] = "whole"
        required += ["body"] if body.get("required") else []


def _output(plain: Plainer, operation: dict[str, Any]) -> Any:
    """Return the schema of the first successful JSON answer, or nothing when none is declared."""
    answers = operation.get("responses") or {}
    for status in sorted(name for name in answers if name.startswith("2")):
        for media, content in (plain.target(answers[status]).get("content") or {}).items():
            if media.split(";")[0].strip() == JSON:
                return content.get("schema") or {}
    return {}
