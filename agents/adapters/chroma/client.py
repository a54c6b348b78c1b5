"""Connections to a Chroma server. Chroma is imported on first use: it takes more than a second."""

import http.client
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agents.core.errors import BadInput, Transient

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

TIMEOUT_S = 30.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def connect(url: str) -> "ClientAPI":
    """Return a client of the Chroma server at ``url``, without telemetry. Raises ``Transient`` when it is away."""
    host, port, is_secure = _parts(url)
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    if host in LOOPBACK:
        _bypass_proxies(host)
    _check_alive(host, port, is_secure)

    import chromadb
    from chromadb.config import Settings

    # The project's own .env is none of Chroma's business.
    own: dict[str, Any] = {"_env_file": None, "anonymized_telemetry": False}
    try:
        client = chromadb.HttpClient(host=host, port=port, ssl=is_secure, settings=Settings(**own))
    except ValueError as error:
        raise Transient(
            f"what answers at {host}:{port} is no Chroma server, or it just went away: {error}"
        ) from error
    session = getattr(getattr(client, "_server", None), "_session", None)
    if session is not None:
        # Chroma waits for ever by default, and so would a run.
        session.timeout = TIMEOUT_S
    return client


def _parts(url: str) -> tuple[str, int, bool]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError as error:
        raise BadInput(f"CHROMA_URL {url!r}: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"CHROMA_URL {url!r} is not an address like http://chroma:8000")
    is_secure = parts.scheme == "https"
    return parts.hostname, port or (443 if is_secure else 8000), is_secure


def _bypass_proxies(host: str) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [item for item in os.environ.get(name, "").split(",") if item]
        if host not in hosts:
            os.environ[name] = ",".join([*hosts, host])


def _check_alive(host: str, port: int, is_secure: bool) -> None:
    """Raise ``Transient`` unless the server answers: Chroma's client has no time limit while it connects."""
    kind = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
    connection = kind(host, port, timeout=5)
    try:
        connection.request("GET", "/api/v2/heartbeat")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException) as error:
        raise Transient(f"no Chroma server answers at {host}:{port} ({error})") from error
    finally:
        connection.close()
