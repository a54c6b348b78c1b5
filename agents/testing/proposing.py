"""A scripted model that proposes the calls it was given, one a round, and then finishes."""

import argparse
import json
from collections.abc import Callable
from typing import Any

from agents.testing.lab import scientist
from agents.testing.lab_reading import what_is_seen
from agents.testing.replies import Answer, Reply, Request, asked_format, prompt_text


def stated(text: str) -> dict[str, Any]:
    """Return ``TOOL {JSON}`` as an action; a fault is told in the words of a command line."""
    tool, _, arguments = text.strip().partition(" ")
    try:
        given = json.loads(arguments or "{}")
    except ValueError as fault:
        raise argparse.ArgumentTypeError(f"{arguments!r} is no JSON: {fault}") from None
    if not tool or not isinstance(given, dict):
        raise argparse.ArgumentTypeError(f"{text!r}: a tool and an object of arguments are expected")
    return {"tool": tool, "arguments": given}


def proposes(actions: list[dict[str, Any]]) -> Callable[[Request, int], Reply]:
    """Return a script whose round n proposes the n-th of ``actions``; a refused one is proposed no second time.

    Digests and conclusions are those of the scripted scientist.
    """

    def answer(request: Request, number: int) -> Reply:
        text = prompt_text(request)
        asked = asked_format(request)
        if asked != "turn" and (asked or '"hypothesis":' not in text):
            return scientist(request, number)
        seen = what_is_seen(text)
        place = seen.last_round + seen.refusals
        if place >= len(actions):
            return Answer({"memory": [], "finish": {"answer": "Every call was made.", "findings": []}})
        action = actions[place]
        claim = f"{action['tool']} answers these arguments with a result that can be used."
        hypothesis = {"text": claim, "refuted_by": "It answers with a fault, or not at all."}
        return Answer(
            {"memory": [], "hypothesis": hypothesis, "action": action, "reason": "It is to be tried."}
        )

    return answer
