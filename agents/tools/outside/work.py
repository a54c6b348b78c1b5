"""What the child process does for outside tools: look at a source, or make one call. See ``agents.tools.child``."""

import asyncio
import logging
from typing import Any

from agents.core.errors import BadInput, DaybookError, Transient
from agents.core.text import shorten
from agents.tools.faults import InvalidOutput
from agents.tools.registry import tool

LOOK = f"{__name__}:look"
CALL = f"{__name__}:call"


@tool(category="outside")
def look(request: dict[str, Any]) -> dict[str, Any]:
    """Return {"tools": definitions} of a source."""
    return {"tools": _in_loop(_look(request))}


@tool(category="outside")
def call(request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of one call."""
    data: dict[str, Any] = _in_loop(_call(request))
    return data


async def _look(request: dict[str, Any]) -> list[dict[str, Any]]:
    if request["kind"] == "openapi":
        from agents.tools.outside.openapi import calling

        found = await calling.look(request)
    else:
        from agents.tools.outside.mcp import session

        async with session.connected(request) as client:
            found = await session.tools_of(client)
    return [definition.model_dump(mode="json") for definition in found]


async def _call(request: dict[str, Any]) -> dict[str, Any]:
    if request["kind"] == "openapi":
        from agents.tools.outside.openapi import calling

        return await calling.call(request)
    if request["kind"] == "webhook":
        from agents.tools.outside.webhook import job

        return await job.send(request)
    from agents.tools.outside.mcp import session

    async with session.connected(request) as client:
        return await session.call(client, request)


def _in_loop(work: Any) -> Any:
    """Run ``work`` and raise the fault that matters out of the groups in which libraries wrap it."""
    logging.disable(logging.CRITICAL)
    try:
        return asyncio.run(work)
    except BaseException as error:
        raise _cause(error) from error


def _cause(error: BaseException) -> BaseException:
    found = list(_leaves(error))
    for kind in (InvalidOutput, BadInput, DaybookError):
        for leaf in found:
            if isinstance(leaf, kind):
                return leaf
    told = next((leaf for leaf in found if isinstance(leaf, Exception)), error)
    return Transient(f"the service could not be talked to: {type(told).__name__}: {shorten(str(told), 300)}")


def _leaves(error: BaseException) -> Any:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
        return
    yield error
    if error.__cause__ is not None:
        yield from _leaves(error.__cause__)
