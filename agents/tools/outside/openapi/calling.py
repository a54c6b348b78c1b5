"""One call of one operation: arguments to where they belong, the answer to the shape that was declared."""

import json
from typing import Any
from urllib.parse import quote

import httpx2

from agents.core.errors import BadInput, Refused, Transient
from agents.core.outside import Definition
from agents.core.text import shorten
from agents.tools.outside.definitions import DRIFT, shaped
from agents.tools.outside.openapi.document import base_of, read_document
from agents.tools.outside.openapi.operations import operations_of
from agents.tools.outside.wire import guarded_client, sent

_HOPS = 3


async def look(request: dict[str, Any]) -> list[Definition]:
    """Return the operations of the document at ``url``, or in ``text``."""
    text = request["text"] or await fetch(request["url"], request["allowed"])
    document = read_document(text)
    return operations_of(document, base_of(document, given=request["base_url"], document_url=request["url"]))


async def fetch(url: str, allowed: list[str]) -> str:
    """Return the text at ``url``. Redirects are followed thrice, each address checked, nothing of ours sent along."""
    async with guarded_client(allowed) as client:
        for _ in range(_HOPS):
            answer = await sent(client, "GET", url)
            if not answer.is_redirect:
                break
            url = str(answer.url.join(answer.headers["location"]))
    if answer.status_code != 200:
        raise Transient(f"{url} answered with status {answer.status_code} instead of the document")
    return answer.text


async def call(request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of the operation of ``request``. Raises ``Refused`` when the document changed it."""
    definition = Definition.model_validate(request["definition"])
    if request["url"]:
        await _check_unchanged(request, definition)
    how = definition.call
    arguments, places = request["arguments"], how["places"]
    path = how["path"]
    for name, place in places.items():
        if place == "path":
            path = path.replace("{" + name + "}", quote(_text(arguments.get(name, "")), safe=""))
    headers = {
        name: _text(arguments[name])
        for name, place in places.items()
        if place == "header" and name in arguments
    }
    if request["key"]:
        headers["Idempotency-Key"] = request["key"]
    async with guarded_client(request["allowed"], headers=request["headers"]) as client:
        answer = await sent(
            client,
            how["method"],
            how["base"] + path,
            params=_query(arguments, places),
            headers=headers,
            **_body(arguments, how),
        )
    return _result(answer, how["shape"])


async def _check_unchanged(request: dict[str, Any], accepted: Definition) -> None:
    found = next((each for each in await look(request) if each.remote == accepted.remote), None)
    if found is None:
        raise Refused(f"{DRIFT} the document has no operation {accepted.remote} any more")
    if found.pin != accepted.pin:
        raise Refused(f"{DRIFT} the document changed the operation {accepted.remote}")


def _query(arguments: dict[str, Any], places: dict[str, str]) -> list[tuple[str, str]]:
    pairs = []
    for name, place in places.items():
        if place == "query" and name in arguments:
            value = arguments[name]
            pairs += [(name, _text(item)) for item in (value if isinstance(value, list) else [value])]
    return pairs


def _body(arguments: dict[str, Any], how: dict[str, Any]) -> dict[str, Any]:
    if how["body"] == "whole":
        return {"json": arguments["body"]} if "body" in arguments else {}
    if how["body"] == "fields":
        return {
            "json": {
                name: arguments[name]
                for name, place in how["places"].items()
                if place == "body" and name in arguments
            }
        }
    return {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _result(answer: httpx2.Response, shape: str) -> dict[str, Any]:
    status, said = answer.status_code, shorten(answer.text, 600)
    host = answer.url.host
    if answer.is_redirect:
        raise Refused(f"{host} redirects elsewhere; calls are not sent on")
    if status in (401, 403):
        raise Refused(f"{host} does not let us in (status {status}): {said}")
    if status == 429 or status >= 500:
        wait = answer.headers.get("Retry-After", "")
        raise Transient(
            f"{host} answered with status {status}: {said}", float(wait) if wait.isdigit() else None
        )
    if status >= 400:
        raise BadInput(f"{host} refused the call with status {status}: {said}")
    return shaped(_data(answer), answer.text, shape)


def _data(answer: httpx2.Response) -> Any:
    if "json" not in answer.headers.get("content-type", ""):
        return None
    try:
        return answer.json()
    except ValueError:
        return None
