"""One conversation with an MCP server: what tools it has, and a call to one of them whose definition still holds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from agents.core.errors import BadInput, Refused, Transient
from agents.core.outside import Definition
from agents.core.text import shorten
from agents.tools.faults import InvalidOutput
from agents.tools.outside.definitions import DRIFT, MAX_TOOLS, define, shaped
from agents.tools.outside.mcp.stdio import stdio_streams
from agents.tools.outside.wire import MAX_BYTES, guarded_client

_PAGES = 20


@asynccontextmanager
async def connected(request: dict[str, Any]) -> AsyncIterator[Client]:
    """Yield a client of the server that ``request`` describes, after the handshake.

    It answers no request of the server's: no sampling, no elicitation, no roots.
    """
    if request["kind"] == "mcp_stdio":
        said = bytearray()
        streams = stdio_streams(request["command"], request["environment"], request["home"], said)
        try:
            async with Client(streams, cache=None) as client:
                yield client
        except* MCPError as errors:
            last = shorten(bytes(said).decode(errors="replace"), 300)
            told = f"; it said: {last}" if last else ""
            raise Transient(f"the server broke off{told}") from errors
        return
    async with guarded_client(request["allowed"], headers=request["headers"]) as web:
        streams = streamable_http_client(request["url"], http_client=web, max_sse_event_size=MAX_BYTES)
        async with Client(streams, cache=None) as client:
            yield client


async def tools_of(client: Client) -> list[Definition]:
    """Return the tools of the server, at most ``MAX_TOOLS``."""
    found: list[mcp_types.Tool] = []
    cursor: str | None = None
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor or len(found) > MAX_TOOLS:
            break
    if len(found) > MAX_TOOLS:
        raise BadInput(f"the server offers more than {MAX_TOOLS} tools")
    return [definition_of(tool) for tool in found]


def definition_of(tool: mcp_types.Tool) -> Definition:
    """Return a tool of a server in our shape."""
    raw = tool.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta", "icons"})
    annotated = tool.annotations.title if tool.annotations else None
    return define(
        remote=tool.name,
        title=tool.title or annotated or "",
        description=tool.description or "",
        inputs=tool.input_schema,
        outputs=tool.output_schema,
        raw=raw,
    )


async def call(client: Client, request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of calling the tool of ``request``. Raises ``Refused`` when it is not the one accepted."""
    name = request["definition"]["remote"]
    found = next((each for each in await tools_of(client) if each.remote == name), None)
    if found is None:
        raise Refused(f"{DRIFT} the server has no tool {name} any more")
    if found.pin != request["definition"]["pin"]:
        raise Refused(f"{DRIFT} the server changed the description or schema of {name}")
    try:
        meta = {"idempotencyKey": request["key"]} if request["key"] else None
        result = await client.call_tool(name, request["arguments"], meta=meta)  # type: ignore[arg-type]
    except MCPError as error:
        raise BadInput(f"the server refused the call: {shorten(error.error.message, 500)}") from error
    except RuntimeError as error:
        raise InvalidOutput(shorten(str(error), 500)) from error
    return data_of(result, request["definition"]["call"]["shape"])


def data_of(result: mcp_types.CallToolResult, shape: str) -> dict[str, Any]:
    """Return what a result holds, shaped. Raises ``BadInput`` for the tool's own error."""
    text = "\n".join(part.text for part in result.content if isinstance(part, mcp_types.TextContent))
    if result.is_error:
        raise BadInput(f"the tool answered with an error: {shorten(text, 800) or 'without words'}")
    return shaped(result.structured_content, text, shape)
