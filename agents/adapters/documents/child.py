"""The process that opens documents: limited, killable, and the only one that loads the parsers.

Reads one JSON request from standard input, writes JSON lines to standard output: ``{"page", "of"}`` while it
works, then ``{"document"}``, ``{"image"}``, ``{"sheet", "csv"}`` or ``{"refused"}``.
"""

import base64
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from agents.adapters.documents.limits import ReadLimits
from agents.core.errors import BadInput


def main() -> None:
    """Answer the request on standard input. Anything a library prints goes nowhere."""
    request = json.loads(sys.stdin.read())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    limits = ReadLimits(**request["limits"])
    _limit(limits)
    try:
        _say(out, **_answer(request, limits, out))
    except BadInput as error:
        _say(out, refused=str(error))
    except MemoryError:
        _say(out, refused=_too_large(request["name"], limits))
    except RecursionError:
        _say(out, refused=f"{request['name']} is nested too deeply to be read. Send a plain PDF of it.")


def _answer(request: dict[str, Any], limits: ReadLimits, out: TextIO) -> dict[str, Any]:
    data = Path(request["path"]).read_bytes()
    if request["do"] == "render":
        from agents.adapters.documents.render import page_image

        image = page_image(data, name=request["name"], page=request["page"], highlight=request["highlight"])
        return {"image": base64.b64encode(image).decode()}
    if request["do"] == "sheet":
        from agents.adapters.tables.workbook import sheet_of

        return {**sheet_of(data, name=request["name"], sheet=request["sheet"])}
    from agents.adapters.documents.read import parse

    document = parse(
        data, name=request["name"], limits=limits, progress=lambda page, of: _say(out, page=page, of=of)
    )
    return {"document": document.model_dump(mode="json")}


def _say(out: TextIO, **message: Any) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def _too_large(name: str, limits: ReadLimits) -> str:
    return f"{name} needs more than {limits.memory_mb} MB of memory to read. Send a smaller or simpler file."


def _limit(limits: ReadLimits) -> None:
    """Take away what a parser does not need: memory, time, new files, new processes, a core dump."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock is the only limit there
        return
    memory, seconds = limits.memory_mb * 1_000_000, int(limits.seconds) + 1
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # a stricter limit of the system stays
            resource.setrlimit(kind, (value, value))


if __name__ == "__main__":
    main()
