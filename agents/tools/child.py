"""The child process that runs one call of one tool: ``python -m agents.tools.child``.

Reads ``{"reference", "arguments", "idempotency_key", "memory_bytes", "cpu_s"}`` as JSON from standard input and answers with one
JSON object on what was its standard output: ``{"data": …}`` or ``{"error": {"kind", "message", "problems"}}``.
Whatever the tool prints goes nowhere.
"""

import asyncio
import contextlib
import inspect
import json
import os
import resource
import sys
from typing import Any

from agents.tools.processes import end_descendants, go_first_when_memory_is_short, tie_to_parent


def main() -> None:
    """Run the call and leave, whatever threads the tool may have left behind."""
    answer_to = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    request = json.loads(sys.stdin.buffer.read())
    tie_to_parent()
    go_first_when_memory_is_short()
    _limit(memory_bytes=request["memory_bytes"], cpu_s=request["cpu_s"])
    answer = json.dumps(_answer(request)).encode()
    with os.fdopen(answer_to, "wb") as out:
        out.write(answer)
    end_descendants(os.getpid())
    os._exit(0)


def _limit(*, memory_bytes: int, cpu_s: int) -> None:
    for name, limit in (("RLIMIT_AS", memory_bytes), ("RLIMIT_CPU", cpu_s), ("RLIMIT_CORE", 0)):
        _, hard = resource.getrlimit(getattr(resource, name))
        allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some of them
            resource.setrlimit(getattr(resource, name), (allowed, hard))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from agents.core.errors import BadInput
    from agents.tools.context import calling
    from agents.tools.faults import fault_of
    from agents.tools.registry import load_function, tool_of

    try:
        with calling(request["idempotency_key"]):
            data = tool_of(load_function(request["reference"])).run(request["arguments"])
            if inspect.isawaitable(data):
                data = asyncio.run(_awaited(data))
        json.dumps(data)
    except BaseException as error:  # the tool may raise anything, SystemExit among it
        problems = error.problems if isinstance(error, BadInput) else []
        fault, message = fault_of(error)
        return {"error": {"fault": fault, "message": message, "problems": problems}}
    return {"data": data}


async def _awaited(value: Any) -> Any:
    return await value


if __name__ == "__main__":
    main()
