"""Commands as a script meets them: what they print, and how they end."""

import io
import json
from typing import Any

from django.core.management import CommandError, call_command


def say(*words: str) -> str:
    """Return what the command prints."""
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def data(*words: str) -> Any:
    """Return the JSON that the command prints."""
    return json.loads(say(*words, "--json"))


def fault(*words: str) -> CommandError:
    """Return the error that the command ends with."""
    try:
        call_command(*words, stdout=io.StringIO(), stderr=io.StringIO())
    except CommandError as error:
        return error
    raise AssertionError(f"{' '.join(words)} was expected to fail")
