"""Ending a process with everything that it started, also what left its process group."""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 50
"""A process that forks while it is being ended needs several looks; a stopped one cannot fork."""


def tie_to_parent() -> None:
    """Make this process die with its parent and keep its orphaned descendants findable. Linux only."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        library.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_descendants(pid: int) -> None:
    """Kill every process that ``pid`` started, directly or not."""
    for _ in range(_ROUNDS):
        found = descendants(pid)
        if not found:
            return
        # Stopped first, so that none of them starts another meanwhile.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for each in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(each, number)


def end_tree(pid: int) -> None:
    """Kill ``pid``, its process group and its descendants."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGSTOP)
    end_descendants(pid)
    end_group(pid)


def end_group(pid: int) -> None:
    """Kill the process group that ``pid`` leads or led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Return the living descendants of ``pid``; none where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold spaces; state and parent follow it.
            state, parent = entry.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(entry.parent.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def use_more_than(limit: int, pids: list[int]) -> bool:
    """Return True when the processes use more than ``limit`` bytes of memory together; what they share counts once."""
    # Counting shared pages walks all of a process's memory, so that it is done only when it matters.
    return sum(map(_resident, pids)) > limit and sum(map(_proportional, pids)) > limit


def _resident(pid: int) -> int:
    """Return the bytes of ``pid`` that are in memory; 0 when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _proportional(pid: int) -> int:
    """Return the bytes of ``pid`` with its share of what it shares; all of them where the system does not tell."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, IndexError, ValueError):
        pass
    return _resident(pid)


def go_first_when_memory_is_short() -> None:
    """Let the system end this process and its descendants before any other when memory runs out. Linux only."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
