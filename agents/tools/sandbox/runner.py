"""Runs one piece of code inside the bubblewrap. Standard library only: nothing of Daybook's is visible there.

Reads ``{"code", "inputs", "limits", "nobody"}`` as JSON from standard input, gives up every right it has, and
answers with one JSON object: ``{"output", "result"}`` or ``{"output", "error"}``.
"""

import ast
import contextlib
import io
import json
import os
import resource
import sys
import traceback

LIBRARIES = "/libraries"


class Printed(io.TextIOBase):
    """Keeps the beginning of what is printed."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._parts: list[str] = []

    def write(self, text: str) -> int:
        """Keep ``text`` while there is room."""
        self._parts.append(text[: self._left])
        self._left -= min(len(text), self._left)
        return len(text)

    def text(self) -> str:
        """Return what was kept."""
        return "".join(self._parts)


def main() -> None:
    """Run the code that standard input brings."""
    answer_to = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    request = json.loads(sys.stdin.buffer.read())
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    give_up_rights(request["limits"], is_root=request["nobody"])
    sys.path.append(LIBRARIES)
    answer = run(request["code"], request["inputs"], printed=Printed(request["limits"]["printed"]))
    with os.fdopen(answer_to, "w") as out:
        out.write(answer)
    os._exit(0)


def give_up_rights(limits: dict[str, int], *, is_root: bool) -> None:
    """Become nobody where we are root, then take the limits: no further process or thread, little memory and time."""
    if is_root:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    for name, limit in (
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_CPU, limits["seconds"]),
        (resource.RLIMIT_FSIZE, limits["file"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 1),
    ):
        resource.setrlimit(name, (limit, limit))


def run(code: str, inputs: dict[str, object], *, printed: Printed) -> str:
    """Return the answer as JSON: the value of the last line when it is an expression, else of ``result``."""
    names: dict[str, object] = {"__name__": "__main__", **inputs}
    found: dict[str, object] = {}
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            found["result"] = _value(code, names)
        return json.dumps({"output": printed.text(), **found}, allow_nan=True, default=_plain)
    except BaseException as error:  # code may raise anything
        told = _told(error)
        return json.dumps({"output": printed.text(), "error": told})


def _value(code: str, names: dict[str, object]) -> object:
    tree = ast.parse(code, "code")
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, "code", "exec"), names)  # noqa: S102  (this process is made for it and can reach nothing)
    if not isinstance(last, ast.Expr):
        return names.get("result")
    return eval(compile(ast.Expression(last.value), "code", "eval"), names)  # noqa: S307


def _told(error: BaseException) -> str:
    """Return the traceback from the code on: our own lines tell nobody anything."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    lines = traceback.format_list(frames[-8:]) + traceback.format_exception_only(error)
    return "".join(lines)[-2000:]


def _plain(value: object) -> object:
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, set | frozenset | range):
        return list(value)
    return repr(value)[:1000]


if __name__ == "__main__":
    main()
