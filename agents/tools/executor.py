"""Running a checked call: bounded in time and size, validated after, never raising for the tool's faults."""

import asyncio
import inspect
import time
from typing import Any

from agents.core.breaker import Breaker
from agents.core.errors import BadInput, TimedOut, Transient
from agents.core.rate import RateLimit
from agents.core.tools import ToolResult
from agents.tools.context import calling
from agents.tools.faults import Fault, InvalidOutput, fault_of
from agents.tools.gate import check_output
from agents.tools.isolation import ChildFault, run_isolated
from agents.tools.pictures import with_stored_pictures
from agents.tools.summary import ArtifactWriter, Keep, bounded, nothing, sentence
from agents.tools.tool import Arguments, Tool

_OF_THE_CALLER = frozenset({"bad_input", "refused"})
"""Faults that say nothing about the tool's health."""


async def execute(
    tool: Tool,
    arguments: Arguments,
    *,
    idempotency_key: str = "",
    breaker: Breaker | None = None,
    rate: RateLimit | None = None,
    write_artifact: ArtifactWriter | None = None,
    kept: Keep = nothing,
) -> ToolResult:
    """Run ``tool`` with arguments that passed the gate and return its result, whatever happens.

    Only the cancellation of the calling task is raised. A result that is too long for memory is stored
    with ``write_artifact`` and summarised; ``kept`` chooses what of it is returned all the same.
    """
    started = time.monotonic()
    try:
        if rate is not None:
            await _turn(rate, longest=tool.spec.timeout_s)
        if breaker is not None:
            breaker.admit()
    except Transient as error:
        return _failed(tool, "transient", str(error), started).model_copy(update={"started": False})
    try:
        data = check_result_of(await _run(tool, arguments, idempotency_key), tool)
        data, pictures = await with_stored_pictures(data, tool.spec, write_artifact)
        data, artifacts = await bounded(data, tool.spec, write_artifact, kept=kept)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # a tool may raise anything; SystemExit must not end the worker
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        fault, message = _fault(error)
        _report(breaker, is_well=fault in _OF_THE_CALLER)
        return _failed(tool, fault, message, started, cost=tool.spec.cost)
    _report(breaker, is_well=True)
    return ToolResult(
        success=True,
        data=data,
        summary=sentence(data, tool.spec),
        artifacts=pictures + artifacts,
        tool=tool.spec.name,
        version=tool.spec.version,
        duration_s=time.monotonic() - started,
        cost=tool.spec.cost,
    )


async def _turn(rate: RateLimit, *, longest: float) -> None:
    """Wait until ``rate`` lets a call start; raise ``Transient`` when that takes more than ``longest`` seconds."""
    end = time.monotonic() + longest
    while True:
        try:
            return rate.admit()
        except Transient as error:
            wait = error.retry_after or 0.0
            if time.monotonic() + wait > end:
                raise
            await asyncio.sleep(wait)


def check_result_of(data: Any, tool: Tool) -> dict[str, Any]:
    """Return the tool's result when it fits its output schema; raises ``InvalidOutput`` otherwise."""
    try:
        return check_output(data, tool)
    except BadInput as error:
        raise InvalidOutput(str(error)) from error


async def _run(tool: Tool, arguments: Arguments, key: str) -> Any:
    limit = tool.spec.timeout_s
    if tool.reference:
        return await run_isolated(tool.reference, arguments, timeout_s=limit, idempotency_key=key)
    try:
        with calling(key):
            async with asyncio.timeout(limit):
                if inspect.iscoroutinefunction(tool.run):
                    return await tool.run(arguments)
                return await asyncio.to_thread(tool.run, arguments)
    except TimeoutError as error:
        raise TimedOut(str(error) or f"the tool did not finish within {limit:g} s") from error


def _fault(error: BaseException) -> tuple[Fault, str]:
    if isinstance(error, ChildFault):
        return error.fault, str(error)
    return fault_of(error)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _report(breaker: Breaker | None, *, is_well: bool) -> None:
    if breaker is not None:
        (breaker.succeeded if is_well else breaker.failed)()


def _failed(tool: Tool, fault: Fault, message: str, started: float, *, cost: float = 0.0) -> ToolResult:
    return ToolResult(
        success=False,
        fault=fault,
        error_message=message,
        summary=f"{tool.spec.title or tool.spec.name} failed: {message}",
        tool=tool.spec.name,
        version=tool.spec.version,
        duration_s=time.monotonic() - started,
        cost=cost,
    )
