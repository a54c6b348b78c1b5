"""A server as a child process: messages by line, bounded, with an environment that holds only what it was given."""

import os
import resource
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from agents.core.errors import NotConfigured
from agents.tools.faults import InvalidOutput

MAX_LINE = 4 * 1024**2
MAX_TOTAL = 32 * 1024**2
SAID = 400
"""How much of a server's standard error is told when it breaks off."""
_PATH = "/usr/local/bin:/usr/bin:/bin"


@asynccontextmanager
async def stdio_streams(
    command: list[str], environment: Mapping[str, str], home: str, said: bytearray
) -> AsyncIterator[tuple[Any, Any]]:
    """Start ``command`` and yield the streams of its messages; it is killed at the end.

    It sees ``environment``, a PATH and ``home`` as its folder: nothing of ours. ``said`` is filled with the end of
    what it writes to its standard error. Raises ``NotConfigured``
    when it cannot be started, ``InvalidOutput`` (in a group) when it says more than it may.
    """
    path = os.environ.get("PATH", _PATH)
    process = await _started(command, {"PATH": path, "HOME": home, **environment}, home)
    to_session, from_server = anyio.create_memory_object_stream[Any](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, to_session)
            tasks.start_soon(_write, process, from_session)
            tasks.start_soon(_listen, process, said)
            yield from_server, to_server
            tasks.cancel_scope.cancel()
    finally:
        for stream in (to_session, from_server, to_server, from_session):
            stream.close()
        with suppress(ProcessLookupError):
            process.kill()


async def _started(command: list[str], environment: dict[str, str], home: str) -> Any:
    # Ours is limited to a few gigabytes of addresses; runtimes such as Node's reserve more than that and use little.
    ours = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (ours[1], ours[1]))
    try:
        return await anyio.open_process(
            command, env=environment, cwd=home, stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except (OSError, ValueError) as error:
        raise NotConfigured(f"the program {command[0]} cannot be started here: {error}") from error
    finally:
        resource.setrlimit(resource.RLIMIT_AS, ours)


async def _read(process: Any, to_session: Any) -> None:
    kept, total = bytearray(), 0
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with to_session:
            while True:
                part = await process.stdout.receive()
                total += len(part)
                kept += part
                *lines, rest = bytes(kept).split(b"\n") if b"\n" in part else (bytes(kept),)
                if len(rest) > MAX_LINE or total > MAX_TOTAL:
                    raise InvalidOutput(f"the server sent more than {MAX_LINE // 1024**2} MB at once")
                for line in lines:
                    await to_session.send(_message(line))
                kept = bytearray(rest)


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _write(process: Any, from_session: Any) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async for message in from_session:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send(text.encode() + b"\n")


async def _listen(process: Any, said: bytearray) -> None:
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
        while True:
            said += await process.stderr.receive()
            del said[:-SAID]
