"""Looking things up on public services. Off until the installation names the hosts that tools may reach."""

from typing import Any
from urllib.parse import urlsplit

from agents.core.errors import NotConfigured, NotFound, Transient

MAX_BYTES = 2_000_000
TIMEOUT_S = 10.0

_allowed: frozenset[str] = frozenset()


def allow(hosts: frozenset[str]) -> None:
    """Let tools reach these hosts, and no others, over HTTPS from now on."""
    global _allowed
    _allowed = hosts


def allowed() -> frozenset[str]:
    """Return the hosts that tools may reach."""
    return _allowed


async def get_text(url: str, *, parameters: dict[str, str] | None = None, transport: Any = None) -> str:
    """Return the body of ``url``. Redirects are not followed.

    Raises ``NotConfigured`` for a host that is not allowed, ``NotFound`` for 404, ``Transient`` for anything
    else that went wrong. ``transport`` replaces the network in tests.
    """
    import httpx2

    host = urlsplit(url).hostname or ""
    if host not in _allowed:
        raise NotConfigured(
            f"tools may not reach {host} from here (the administrator lists it in DAYBOOK_TOOL_HOSTS)"
        )
    try:
        async with httpx2.AsyncClient(
            timeout=TIMEOUT_S, transport=transport or _transport(), headers={"Accept-Encoding": "identity"}
        ) as client:
            return await _read(client, url, parameters or {})
    except httpx2.HTTPError as error:
        raise Transient(f"{host} could not be reached: {type(error).__name__}") from error


def _transport() -> Any:
    """Return the transport that checks and pins addresses; none behind a proxy, which looks names up itself."""
    from urllib.request import getproxies

    from agents.tools.outside.wire import GuardedTransport

    return None if getproxies().get("https") else GuardedTransport(_allowed)


async def get_json(url: str, *, parameters: dict[str, str] | None = None, transport: Any = None) -> Any:
    """Return the JSON at ``url``; raises as ``get_text`` does."""
    import json

    text = await get_text(url, parameters=parameters, transport=transport)
    try:
        return json.loads(text)
    except ValueError as error:
        raise Transient(f"{urlsplit(url).hostname} did not answer with JSON") from error


async def _read(client: Any, url: str, parameters: dict[str, str]) -> str:
    host = urlsplit(url).hostname
    async with client.stream("GET", url, params=parameters or None) as response:
        if response.status_code == 404:
            raise NotFound(f"{host} knows nothing by that name")
        if response.status_code != 200:
            wait = response.headers.get("Retry-After", "")
            seconds = float(wait) if wait.isdigit() else None
            raise Transient(f"{host} answered with status {response.status_code}", seconds)
        body = bytearray()
        async for part in response.aiter_bytes():
            body += part
            if len(body) > MAX_BYTES:
                raise Transient(f"{host} answered with more than {MAX_BYTES // 1_000_000} MB")
        return body.decode(response.encoding or "utf-8", errors="replace")
