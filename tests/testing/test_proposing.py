"""A scripted model that proposes what it was told, and nothing a second time."""

import argparse

import pytest

from agents.testing.proposing import proposes, stated

FORMAT = {"type": "json_schema", "json_schema": {"name": "turn", "schema": {"type": "object"}}}


def asked(text: str) -> dict:
    return {"messages": [{"role": "user", "content": text}], "response_format": FORMAT}


def test_each_round_proposes_the_next_call_and_the_last_one_finishes():
    script = proposes([stated('weigh {"dose": 1}'), stated("rest")])
    first = script(asked("Goal: try."), 0).value
    assert first["action"] == {"tool": "weigh", "arguments": {"dose": 1}}
    second = script(asked("1. weigh(1) → mass 3\n"), 1).value
    assert second["action"] == {"tool": "rest", "arguments": {}}
    refused = "1. weigh(1) → mass 3\nNot accepted:\nrest()\n  no such tool\nBudget left: 3"
    assert "finish" in script(asked(refused), 2).value
    assert "finish" in script(asked("2. rest() → ok\n"), 3).value


@pytest.mark.parametrize("text", ["", "weigh {dose", "weigh [1]"])
def test_what_is_no_call_is_told(text):
    with pytest.raises(argparse.ArgumentTypeError):
        stated(text)
