"""The executor survives its tools: bounded in time, memory and size, validated after, never raising."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.core.breaker import Breaker
from agents.core.rate import RateLimit
from agents.core.tools import ToolResult
from agents.tools.executor import execute
from agents.tools.registry import tool_of
from tests.tools import hostile


async def run(function: Callable[..., Any], **arguments: Any) -> ToolResult:
    return await execute(tool_of(function), arguments)


@pytest.mark.parametrize("function", [hostile.double, hostile.double_async])
async def test_a_tool_runs_in_a_child_or_in_process_with_the_same_result(
    function: Callable[..., Any],
) -> None:
    result = await run(function, value=21.0)
    assert (result.success, result.data, result.version) == (True, {"value": 42.0}, "1")


async def test_a_hanging_tool_is_stopped_with_everything_that_it_started(tmp_path: Path) -> None:
    marker = tmp_path / "alive"
    result = await run(hostile.hang, marker=str(marker))
    assert (result.success, result.fault) == (False, "timeout")
    assert result.error_message == "the tool did not finish within 1.5 s and was stopped"
    size = marker.stat().st_size
    await asyncio.sleep(0.3)
    assert marker.stat().st_size == size


async def test_a_tool_leaves_no_process_behind(tmp_path: Path) -> None:
    marker = tmp_path / "alive"
    assert (await run(hostile.leave_a_daemon, marker=str(marker))).success
    size = marker.stat().st_size
    await asyncio.sleep(0.3)
    assert marker.stat().st_size == size


async def test_a_tool_that_multiplies_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    marker = tmp_path / "numbers"
    started = time.monotonic()
    # At most 256 of them, whatever becomes of the watch.
    result = await run(hostile.multiply, marker=str(marker), times=8)
    assert (result.fault, result.error_message) == (
        "unknown",
        "the tool started more than 64 processes and was stopped",
    )
    assert time.monotonic() - started < 25, "not by its time limit"
    assert not [number for number in set(marker.read_text().split()) if is_running(number)]
    assert (await run(hostile.double, value=1.0)).success


async def test_a_tool_whose_processes_eat_memory_together_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.tools.isolation.TREE_BYTES", 512 * 1024**2)
    marker = tmp_path / "numbers"
    # Each of them stays far below what one process may use.
    result = await run(hostile.eat_memory_together, marker=str(marker), processes=8, each_mb=100)
    assert (result.fault, result.error_message) == (
        "unknown",
        "the tool used more than 0.5 GB of memory with the processes that it started and was stopped",
    )
    assert not [number for number in set(marker.read_text().split()) if is_running(number)]
    assert (await run(hostile.double, value=1.0)).success


async def test_memory_that_processes_share_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.tools.isolation.TREE_BYTES", 512 * 1024**2)
    assert (await run(hostile.share_memory, processes=6, mb=150)).data == {"value": 150.0}


async def test_a_tool_is_ended_before_the_server_when_memory_runs_out() -> None:
    assert (await run(hostile.last_to_live)).data == {"result": 1000}


def is_running(number: str) -> bool:
    """Return True for a process that has not ended; one that ended and was not asked for yet is none."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_tool_that_writes_into_its_answer_spoils_only_that() -> None:
    result = await run(hostile.spoil_the_answer)
    assert (result.success, result.fault) == (False, "unknown")
    assert "without a result" in result.error_message


class Time:
    """A clock for the rate, and a sleep that moves it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


async def test_a_call_waits_its_turn_as_long_as_it_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time()
    monkeypatch.setattr("agents.tools.executor.asyncio.sleep", clock.sleep)
    rate = RateLimit("Probe", 2, clock=lambda: clock.now)
    rate.admit()
    rate.admit()
    clock.now = 45.0
    result = await execute(tool_of(hostile.key_in_process), {}, rate=rate)  # it may take 30 s
    assert (result.success, clock.slept) == (True, [15.0])


async def test_a_call_whose_turn_comes_too_late_has_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time()
    monkeypatch.setattr("agents.tools.executor.asyncio.sleep", clock.sleep)
    rate = RateLimit("Probe", 1, clock=lambda: clock.now)
    rate.admit()
    result = await execute(tool_of(hostile.double), {"value": 1.0}, rate=rate)
    assert (result.fault, result.started, clock.slept) == ("transient", False, [])
    assert "the next call is possible in 60 s" in result.error_message


async def test_a_cancelled_call_takes_its_process_with_it(tmp_path: Path) -> None:
    marker = tmp_path / "alive"
    task = asyncio.create_task(run(hostile.hang, marker=str(marker)))
    while not marker.exists():
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    size = marker.stat().st_size
    await asyncio.sleep(0.3)
    assert marker.stat().st_size == size


async def test_a_slow_tool_in_process_is_cancelled() -> None:
    result = await run(hostile.dawdle)
    assert (result.fault, result.error_message) == ("timeout", "the tool did not finish within 0.2 s")


@pytest.mark.parametrize(
    ("function", "arguments", "fault", "message"),
    [
        (hostile.eat_memory, {}, "unknown", "the tool needed more memory than it may use"),
        (hostile.eat_memory_slowly, {}, "unknown", "the tool needed more memory than it may use"),
        (hostile.swell, {}, "output_invalid", "the result is larger than 8 MB: return less, or a file"),
        (hostile.die, {}, "unknown", "the tool's process ended with code 3 without a result"),
        (hostile.crash, {}, "unknown", "the tool's process ended by signal 11 without a result"),
        (hostile.leave, {}, "unknown", "SystemExit: 1"),
        (hostile.leave_the_child, {}, "unknown", "SystemExit: 1"),
        (hostile.raise_anything, {}, "unknown", "Odd: of a kind of its own"),
        (hostile.raise_anything_here, {}, "unknown", "Odd: of a kind of its own"),
        (hostile.cancel_itself, {}, "unknown", "CancelledError"),
        (hostile.raise_key_error, {}, "unknown", "KeyError: 'flask'"),
        (hostile.busy, {}, "transient", "the instrument is warming up"),
        (hostile.refuse_input, {"value": 3.0}, "bad_input", "field value: must be even"),
    ],
)
async def test_every_fault_of_a_tool_becomes_a_result(
    function: Callable[..., Any], arguments: dict[str, Any], fault: str, message: str
) -> None:
    result = await run(function, **arguments)
    assert (result.success, result.fault, result.error_message) == (False, fault, message)
    assert result.data == {}


async def test_a_tool_that_calls_itself_without_end_becomes_a_result() -> None:
    result = await run(hostile.recurse)
    assert (result.success, result.fault) == (False, "unknown")
    assert result.error_message.startswith("RecursionError: maximum recursion depth")


async def test_what_a_tool_prints_goes_nowhere() -> None:
    assert (await run(hostile.shout)).data == {"value": 1.0}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(hostile.not_a_number, {"inside": True}), (hostile.infinite, {}), (hostile.wrong_type, {})],
)
async def test_a_result_that_breaks_its_schema_is_refused(
    function: Callable[..., Any], arguments: dict[str, Any]
) -> None:
    result = await run(function, **arguments)
    assert (result.success, result.fault, result.data) == (False, "output_invalid", {})
    assert "value" in result.error_message


async def test_a_long_result_becomes_an_artifact_with_statistics() -> None:
    stored: list[bytes] = []

    async def write(content: bytes, *, name: str, media_type: str) -> str:
        stored.append(content)
        return "abc"

    result = await execute(tool_of(hostile.long_list), {"rows": 1000}, write_artifact=write)
    assert result.artifacts == ["abc"]
    assert len(json.loads(stored[0])["result"]) == 1000
    assert result.data["outline"]["result"] == {
        "rows": 1000,
        "columns": ["x", "y"],
        "statistics": {
            "x": {"count": 1000, "min": 0.0, "mean": 499.5, "max": 999.0},
            "y": {"count": 1000, "min": 0.0, "mean": 999.0, "max": 1998.0},
        },
    }


async def test_a_long_result_without_a_store_is_refused_not_cut() -> None:
    result = await run(hostile.long_list, rows=1000)
    assert result.fault == "output_invalid"
    assert result.error_message.endswith("and there is no artifact store to keep it")


async def test_a_child_sees_none_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    seen = (await run(hostile.secrets_seen)).data["result"]
    assert "OPENAI_API_KEY" not in seen
    assert "PATH" in seen


@pytest.mark.parametrize("function", [hostile.key_in_child, hostile.key_in_process])
async def test_a_tool_knows_the_idempotency_key_of_its_call(function: Callable[..., Any]) -> None:
    result = await execute(tool_of(function), {}, idempotency_key="run-1/7/act")
    assert result.data == {"result": "run-1/7/act"}


async def test_a_tool_that_keeps_failing_is_left_alone() -> None:
    breaker = Breaker("busy", threshold=2, rest_s=30)
    for _ in range(2):
        await execute(tool_of(hostile.busy), {}, breaker=breaker)
    result = await execute(tool_of(hostile.busy), {}, breaker=breaker)
    assert (result.fault, breaker.health().state) == ("transient", "open")
    assert result.error_message.startswith("busy failed 2 times in a row")


async def test_faults_of_the_caller_do_not_count_against_a_tool() -> None:
    breaker = Breaker("strict", threshold=1)
    await execute(tool_of(hostile.refuse_input), {"value": 3.0}, breaker=breaker)
    assert breaker.health().state == "closed"


async def test_calls_run_side_by_side() -> None:
    results = await asyncio.gather(*(run(hostile.double, value=float(i)) for i in range(4)))
    assert [result.data["value"] for result in results] == [0.0, 2.0, 4.0, 6.0]
