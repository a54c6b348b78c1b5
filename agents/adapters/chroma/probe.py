"""Whether a local Chroma server can really search: a damaged index often opens and fails, or loses vectors."""

import http.client
import json
from typing import Any

BASE = "/api/v2/tenants/default_tenant/databases/default_database/collections"
TIMEOUT_S = 60.0
PROBE = 1200
"""Vectors asked for: more than the thousand that Chroma holds beside its graph, which outlive the graph's loss."""
TOLERANCE = 0.9
"""A whole graph may still not reach a few of its vectors."""


class _Broken(Exception):
    """The server died or answered with a fault."""


def is_alive(port: int) -> bool:
    """True when the server on ``port`` answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/api/v2/heartbeat")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def damage(port: int, *, limit: int) -> str:
    """Search the first ``limit`` collections, by name; return what is wrong, or ''.

    Raises ``TimeoutError`` when an answer takes longer than ``TIMEOUT_S``.
    """
    try:
        found = sorted(_ask(port, "GET", f"{BASE}?limit=10000"), key=lambda item: str(item["name"]))
        for collection in found[:limit]:
            _search(port, collection)
    except _Broken as error:
        return str(error)
    return ""


def _search(port: int, collection: dict[str, Any]) -> None:
    place = f"{BASE}/{collection['id']}"
    count = _ask(port, "GET", f"{place}/count")
    asked = min(count, PROBE)
    if not asked or not collection.get("dimension"):
        return
    query = {"query_embeddings": [[1.0] * collection["dimension"]], "n_results": asked, "include": []}
    hits = len(_ask(port, "POST", f"{place}/query", query)["ids"][0])
    if hits < TOLERANCE * asked:
        raise _Broken(
            f"collection {collection['name']} counts {count} vectors and finds only {hits} of {asked}"
        )


def _ask(port: int, method: str, path: str, body: Any = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        headers = {"Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    except TimeoutError:
        raise  # slow is not damaged
    except (OSError, http.client.HTTPException) as error:
        raise _Broken(f"the server broke off ({error or type(error).__name__})") from error
    finally:
        connection.close()
    if answer.status != 200:
        raise _Broken(f"the server answered {answer.status}: {text[:300]}")
    return json.loads(text)
