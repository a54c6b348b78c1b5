"""Outside sources as tools of a study: each call in a child process, its definition checked again, no secret kept."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from agents.core.outside import OutsideSource, OutsideTool
from agents.core.tools import ToolSpec
from agents.tools import network
from agents.tools.context import idempotency_key
from agents.tools.faults import fault_of
from agents.tools.isolation import ChildFault, run_isolated
from agents.tools.outside.definitions import DRIFT
from agents.tools.outside.secrets import references, resolved, without_secrets
from agents.tools.outside.work import CALL, LOOK
from agents.tools.tool import Arguments, Tool

LOOK_S = 20.0
KINDS = {
    "mcp_stdio": "MCP server",
    "mcp_http": "MCP server",
    "openapi": "web service",
    "webhook": "instrument",
}


class Watch(Protocol):
    """What the owner decides after a run began, and what a call found out."""

    async def admit(self, source_id: str, name: str, pin: str) -> None:
        """Raise ``Refused`` when the tool was switched off, removed or found changed since."""

    async def drifted(self, source_id: str, name: str, told: str) -> None:
        """Note that the source defines the tool otherwise than it was accepted."""


def outside_tools(sources: Iterable[OutsideSource], watch: Watch) -> dict[str, Tool]:
    """Return the tools that were switched on, by name. Instruments are made apart: see ``webhook.tool``."""
    return {
        each.name: Tool(spec=spec_of(source, each), run=_runner(source, each, watch))
        for source in sources
        if source.kind != "webhook"
        for each in source.tools
    }


def origin_of(source: OutsideSource) -> str:
    """Return where the tools of ``source`` come from, in words."""
    return f"{KINDS[source.kind]} {source.name}"


def spec_of(source: OutsideSource, tool: OutsideTool) -> ToolSpec:
    """Return the specification: the source's schemas, the owner's declarations, the pin as its version."""
    definition = tool.definition
    return ToolSpec(
        name=tool.name,
        version=definition.pin[:12],
        title=definition.title or definition.remote,
        description=tool.words or ("" if definition.caution else definition.description) or definition.remote,
        category=source.name,
        input_schema=definition.input_schema,
        output_schema=definition.output_schema,
        effect=tool.effect,
        risk=tool.risk,
        needs_review=tool.needs_review,
        is_reversible=tool.is_reversible,
        timeout_s=tool.timeout_s,
        cost=tool.cost,
        origin=origin_of(source),
    )


async def look(source: OutsideSource, *, text: str = "") -> list[dict[str, Any]]:
    """Return the definitions that ``source`` offers now; ``text`` is a document that has no address.

    Raises what ``run_isolated`` raises, ``NotConfigured`` for a secret that is not set.
    """
    request, secrets = _request(source, os.environ)
    found = await _isolated(LOOK, {**request, "text": text}, secrets, timeout_s=LOOK_S)
    tools: list[dict[str, Any]] = found["result"]["tools"]
    return tools


def _runner(source: OutsideSource, tool: OutsideTool, watch: Watch) -> Any:
    pin = tool.definition.pin

    async def run(arguments: Arguments) -> dict[str, Any]:
        await watch.admit(source.id, tool.name, pin)
        try:
            return await call(source, tool, arguments)
        except ChildFault as fault:
            if DRIFT in str(fault):
                await watch.drifted(source.id, tool.name, str(fault))
            raise

    return run


async def call(source: OutsideSource, tool: OutsideTool, arguments: Arguments, **more: Any) -> dict[str, Any]:
    """Return the result of one call. Raises ``ChildFault`` whose message holds no secret."""
    request, secrets = _request(source, os.environ)
    request |= {
        "definition": tool.definition.model_dump(mode="json"),
        "arguments": arguments,
        "key": idempotency_key(),
        "text": "",
        **more,
    }
    found = await _isolated(CALL, request, secrets, timeout_s=tool.timeout_s)
    result: dict[str, Any] = without_secrets(found["result"], secrets)
    return result


def _request(source: OutsideSource, environment: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return what the child is told of ``source``, and the secrets in it."""
    headers, variables = resolved(source.headers, environment), resolved(source.environment, environment)
    names = references([*source.headers.values(), *source.environment.values()])
    signing = resolved({"signing": f"${source.secret}"}, environment) if source.secret else {}
    request = {
        "kind": source.kind,
        "command": source.command,
        "url": source.url,
        "base_url": source.base_url,
        "headers": headers,
        "environment": variables,
        "allowed": sorted(network.allowed()),
        **signing,
    }
    return request, [*(environment[name] for name in names), *signing.values()]


async def _isolated(
    reference: str, request: dict[str, Any], secrets: list[str], *, timeout_s: float
) -> dict[str, Any]:
    try:
        # Made here, since a child that is killed cleans nothing up.
        with tempfile.TemporaryDirectory(prefix="daybook-outside-", ignore_cleanup_errors=True) as home:
            given = {"request": {**request, "home": home}}
            return await run_isolated(
                reference, given, timeout_s=timeout_s, idempotency_key=idempotency_key()
            )
    except Exception as error:
        fault, message = (error.fault, str(error)) if isinstance(error, ChildFault) else fault_of(error)
        raise ChildFault(fault, without_secrets(message, secrets)) from None
