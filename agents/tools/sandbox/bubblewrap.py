"""Code in a bubblewrap: no network, a read-only root with Python and nothing of ours, no rights, hard limits."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from typing import Any

from agents.core.errors import Refused, TimedOut
from agents.tools.faults import InvalidOutput
from agents.tools.sandbox import limits, runner

_RUNNER = "/runner.py"
_PYTHON = Path("/python")


@lru_cache(maxsize=1)
def problem() -> str:
    """Return why there is no bubblewrap here, or an empty text."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (Debian: apt-get install bubblewrap)"
    try:
        done = run_in_bubblewrap("1 + 1", {})
    except (OSError, TimedOut, InvalidOutput, Refused) as error:
        return f"bubblewrap does not work here: {error}"
    return "" if done.get("result") == 2 else f"bubblewrap does not work here: {done}"


def run_in_bubblewrap(code: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return {"output", "result"} or {"output", "error"} of ``code``.

    Raises ``TimedOut``, ``InvalidOutput`` when the process ended without an answer, ``Refused`` when bubblewrap
    does not start.
    """
    given = {
        "code": code,
        "inputs": inputs,
        "nobody": os.geteuid() == 0,
        "limits": {
            "memory": limits.MEMORY_BYTES,
            "seconds": limits.SECONDS,
            "file": limits.FILE_BYTES,
            "open_files": limits.OPEN_FILES,
            "printed": limits.PRINTED_CHARACTERS,
        },
    }
    process = subprocess.Popen(  # noqa: S603  (our own command line; the code goes in as data)
        command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
    )
    try:
        answer, told = process.communicate(json.dumps(given).encode(), timeout=limits.WALL_S)
    except subprocess.TimeoutExpired as error:
        raise TimedOut(f"the code did not finish within {limits.WALL_S:g} s and was stopped") from error
    finally:
        process.kill()
        process.wait()
    return _read(answer, process.returncode, told.decode(errors="replace"))


def _read(answer: bytes, code: int, told: str) -> dict[str, Any]:
    if len(answer) > limits.ANSWER_BYTES:
        raise InvalidOutput(f"the result is larger than {limits.ANSWER_BYTES // 1024**2} MB")
    try:
        found = json.loads(answer)
    except ValueError as error:
        if told.startswith("bwrap:"):
            raise Refused(told.strip()[:300]) from error
        ending = f"by signal {code - 128}" if code > 128 else f"with code {code}"
        raise InvalidOutput(
            f"the code's process ended {ending} without a result: it used too much time or memory, or ended itself"
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("output"), str):
        raise InvalidOutput("the code's process gave no readable result")
    return found


def command() -> list[str]:
    """Return the bubblewrap's command line."""
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    libraries = sysconfig.get_paths()["purelib"]
    shown: dict[str, Any] = {libraries: runner.LIBRARIES, runner.__file__: _RUNNER}
    if not python.is_relative_to("/usr"):
        # Below a folder of its own: bubblewrap makes the folders on the way to a mount readable to root alone.
        shown[sys.base_prefix] = _PYTHON
        python = _PYTHON / python.relative_to(Path(sys.base_prefix).resolve())
    binds = [part for source, target in shown.items() for part in ("--ro-bind", source, str(target))]
    # fmt: off
    return [
        shutil.which("bwrap") or "bwrap",
        "--unshare-ipc", "--unshare-net", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
        *_rights(),
        "--die-with-parent", "--new-session", "--clearenv",
        "--setenv", "PATH", "/usr/bin", "--setenv", "HOME", "/tmp",  # noqa: S108  (inside: a folder of its own)
        "--setenv", "OPENBLAS_NUM_THREADS", "1", "--setenv", "OMP_NUM_THREADS", "1",
        "--ro-bind", "/usr", "/usr", *_system(), *binds,
        "--proc", "/proc", "--dev", "/dev",
        "--size", str(limits.SCRATCH_BYTES), "--perms", "1777", "--tmpfs", "/tmp",  # noqa: S108
        "--remount-ro", "/", "--chdir", "/tmp",  # noqa: S108
        str(python), "-I", "-S", "-B", _RUNNER,
    ]
    # fmt: on


def _rights() -> list[str]:
    """Without root, a user namespace whose user is nobody; as root, the runner becomes nobody by itself.

    The kernel limits the processes of every user but root, also of a root that a namespace calls nobody.
    """
    if os.geteuid() == 0:
        return ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return ["--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]


def _system() -> list[str]:
    """Return the folders of the system's libraries, which are links into /usr on most distributions."""
    parts: list[str] = []
    for name in ("/lib", "/lib64", "/lib32", "/bin"):
        path = Path(name)
        if path.is_symlink():
            parts += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            parts += ["--ro-bind", name, name]
    return parts
