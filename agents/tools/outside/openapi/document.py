"""Reading an OpenAPI document: JSON or YAML of bounded size, of version 3, with an address to send calls to."""

import json
from datetime import date
from typing import Any
from urllib.parse import urljoin, urlsplit

from agents.core.errors import BadInput
from agents.core.text import shorten

MAX_CHARACTERS = 2_000_000


def read_document(text: str) -> dict[str, Any]:
    """Return the document in ``text``. Raises ``BadInput`` that says what it is not."""
    if len(text) > MAX_CHARACTERS:
        raise BadInput(f"the document is longer than {MAX_CHARACTERS:,} characters")
    found = _json(text) if text.lstrip().startswith("{") else _yaml(text)
    if not isinstance(found, dict) or "openapi" not in found:
        kind = "Swagger 2, which has to be converted to OpenAPI 3" if _is_swagger(found) else "no OpenAPI"
        raise BadInput(f"the document is {kind}: it has no field “openapi”")
    _check(found)
    return found


def base_of(document: dict[str, Any], *, given: str, document_url: str) -> str:
    """Return the address that paths are added to: as given, else the document's first server."""
    servers = document.get("servers") or [{}]
    stated = servers[0].get("url", "") if isinstance(servers[0], dict) else ""
    for name, variable in (servers[0].get("variables") or {}).items() if stated else ():
        stated = stated.replace("{" + name + "}", str(variable.get("default", "")))
    base = given or urljoin(document_url, stated or "/")
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput("the document does not say where the service is: give its base address")
    if parts.username or parts.password:
        raise BadInput("the base address holds a password: put it into a header, by reference")
    return base.rstrip("/")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the document is no JSON: {shorten(str(error), 200)}") from error


def _yaml(text: str) -> Any:
    import yaml

    try:
        # An alias can make a short document grow without end.
        if any(isinstance(event, yaml.events.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise BadInput("the document uses YAML aliases, which are not read; write them out")
        return _as_json(yaml.safe_load(text))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadInput(f"the document is no YAML: {shorten(str(error), 200)}") from error


def _as_json(node: Any) -> Any:
    """YAML reads the status 200 as a number and 2026-01-01 as a date; in JSON both are text."""
    if isinstance(node, dict):
        return {str(key): _as_json(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_as_json(item) for item in node]
    return node.isoformat() if isinstance(node, date) else node


def _is_swagger(found: Any) -> bool:
    return isinstance(found, dict) and "swagger" in found


def _check(document: dict[str, Any]) -> None:
    from openapi_pydantic.v3.parser import parse_obj
    from pydantic import ValidationError

    try:
        parse_obj(document)
    except ValidationError as error:
        told = [
            f"{'.'.join(str(part) for part in fault['loc'][-6:])}: {fault['msg']}"
            for fault in error.errors(include_url=False)[:3]
        ]
        raise BadInput(f"the document is no valid OpenAPI 3: {shorten('; '.join(told), 500)}") from error
