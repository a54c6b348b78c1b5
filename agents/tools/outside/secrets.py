"""Secrets by reference: ``$TOOL_SECRET_NAME`` in a header or a variable, read from the environment at the call."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from agents.core.errors import BadInput, NotConfigured

PREFIX = "TOOL_SECRET_"
_REFERENCE = re.compile(r"\$\{?(TOOL_SECRET_[A-Z0-9_]+)\}?")
_SENSITIVE = re.compile(r"auth|cookie|token|key|secret|password|credential", re.IGNORECASE)
_HIDDEN = "•••"


def references(values: Iterable[str]) -> set[str]:
    """Return the names of the variables that ``values`` refer to."""
    return {name for value in values for name in _REFERENCE.findall(value)}


def check_references(values: Mapping[str, str], *, what: str) -> None:
    """Raise ``BadInput`` for a value that looks like a secret itself instead of naming one."""
    for name, value in values.items():
        if _SENSITIVE.search(name) and not _REFERENCE.search(value):
            raise BadInput(
                f"{what} {name}: do not write the secret here, it would be stored. Put it into the server's "
                f"environment as {PREFIX}… and refer to it, for example ${PREFIX}LAB."
            )


def check_address(url: str) -> None:
    """Raise ``BadInput`` for an address that carries a password or a key: it would be stored and shown."""
    parts = urlsplit(url)
    keys = [name for name, value in parse_qsl(parts.query) if value and _SENSITIVE.search(name)]
    if parts.username or parts.password or keys:
        raise BadInput(
            "The address holds a secret, which would be stored and shown. Send it in a header, by reference: "
            f"Authorization: Bearer ${PREFIX}LAB"
        )


def resolved(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return ``values`` with every reference replaced. Raises ``NotConfigured`` naming a variable that is not set."""

    def read(match: re.Match[str]) -> str:
        found = environment.get(match[1], "")
        if not found:
            raise NotConfigured(f"the variable {match[1]} is not set where the server runs")
        return found

    return {name: _REFERENCE.sub(read, value) for name, value in values.items()}


def without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Return ``value`` with every secret in its text covered: a service may echo what it was sent."""
    known = sorted({secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True)
    return _covered(value, known) if known else value


def _covered(value: Any, known: list[str]) -> Any:
    if isinstance(value, str):
        for secret in known:
            value = value.replace(secret, _HIDDEN)
        return value
    if isinstance(value, list):
        return [_covered(item, known) for item in value]
    if isinstance(value, dict):
        return {_covered(key, known): _covered(item, known) for key, item in value.items()}
    return value
