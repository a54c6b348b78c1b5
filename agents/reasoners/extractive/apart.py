"""The extractive digest in a child process: whatever a document does to the patterns, it ends in time.

``python -m agents.reasoners.extractive.apart`` reads one JSON request from standard input and answers with the
digest as JSON.
"""

import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import agents
from agents.core.digest import Digest, ParsedDocument
from agents.core.errors import BadInput

SECONDS = 60.0
MEMORY_MB = 1536
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV")


async def digest_apart(
    document: ParsedDocument, *, document_id: str, goal: str = "", seconds: float = SECONDS
) -> Digest:
    """Return ``extract_digest`` of ``document``, made in a child process within ``seconds``.

    Raises ``BadInput`` when the child runs over its time or memory, or breaks.
    """
    request = {"document": document.model_dump(mode="json"), "document_id": document_id, "goal": goal}
    try:
        done = await asyncio.to_thread(_ask, json.dumps(request), seconds)
    except subprocess.TimeoutExpired:
        raise BadInput(
            f"{document.name} was read but not digested within {seconds:g} seconds. Send a part of it, or enter goal, "
            "parameters and limits by hand."
        ) from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"code {done.returncode}"]
        raise BadInput(
            f"{document.name} was read but its digest failed ({last[0][:300]}). Enter the study by hand."
        )
    return Digest.model_validate_json(done.stdout)


def _ask(request: str, seconds: float) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "agents.reasoners.extractive.apart"],
        input=request,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
        cwd=Path(agents.__file__).parents[1],
        env={key: os.environ[key] for key in _PASSED_ON if key in os.environ},
    )


def main() -> None:
    """Answer the request on standard input."""
    with contextlib.suppress(ValueError, OSError):  # macOS refuses some of them
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20, MEMORY_MB << 20))
    from agents.reasoners.extractive.digest import extract_digest

    request = json.loads(sys.stdin.read())
    document = ParsedDocument.model_validate(request["document"])
    digest = extract_digest(document, document_id=request["document_id"], goal=request["goal"])
    sys.stdout.write(digest.model_dump_json())


if __name__ == "__main__":
    main()
