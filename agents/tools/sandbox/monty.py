"""Code in Monty: an interpreter of a part of Python, without files, network, processes or foreign modules."""

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from agents.core.errors import TimedOut
from agents.tools.faults import InvalidOutput
from agents.tools.sandbox import limits


@lru_cache(maxsize=1)
def problem() -> str:
    """Return why there is no Monty here, or an empty text."""
    if find_spec("pydantic_monty") is None:
        return "pydantic-monty is not installed (pip install pydantic-monty)"
    try:
        done = run_in_monty("1 + 1", {})
    except Exception as error:  # a binary of another machine fails in many ways
        return f"pydantic-monty does not work here: {error}"
    return "" if done.get("result") == 2 else f"pydantic-monty does not work here: {done}"


def run_in_monty(code: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return {"output", "result"} or {"output", "error"} of ``code``. Raises ``TimedOut`` and ``InvalidOutput``."""
    import pydantic_monty as monty

    printed = _Printed()
    allowed: monty.ResourceLimits = {
        "max_feed_duration_secs": float(limits.SECONDS),
        "max_memory": limits.MEMORY_BYTES // 4,
        "max_recursion_depth": 500,
        "max_suspensions": 1000,
    }
    try:
        with (
            monty.Monty(max_processes=1, request_timeout=limits.WALL_S) as pool,
            pool.checkout(limits=allowed, os_policy={"sleep": "zero"}) as session,
        ):
            found = session.feed_run(code, inputs=inputs, print_callback=printed)
    except monty.MontyCrashedError as error:
        raise InvalidOutput("the code broke its sandbox's process, which was ended") from error
    except monty.MontyError as error:
        told = error.display() if hasattr(error, "display") else str(error)
        if "TimeoutError" in told[-400:]:
            raise TimedOut(f"the code did not finish within {limits.SECONDS} s and was stopped") from error
        return {"output": printed.text(), "error": told[-2000:]}
    return {"output": printed.text(), "result": _plain(found)}


class _Printed:
    """Keeps the beginning of what is printed."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = limits.PRINTED_CHARACTERS

    def __call__(self, stream: str, text: str) -> None:
        self._parts.append(text[: self._left])
        self._left -= min(len(text), self._left)

    def text(self) -> str:
        return "".join(self._parts)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return repr(value)[:1000]
