"""Seeded mutations of a right answer: what a careless model, server or network may make of it."""

import json
import random
from collections.abc import Callable
from typing import Any

from agents.testing import Call, Say
from agents.testing.replies import Reply
from benchmarks.parts.faults_catalogue import TEXT, TOOL, TURN

SEED = 20_261
ODD_VALUES = (
    "NaN", "Infinity", "-Infinity", "1e999", "null", "true", "[]", "{}", '"abc"', '""', '"NaN"', "-0", "300.5", '"300 °C"',
    "[300]", '{"value": 300}', "0x12c", "300K", "undefined", "10" + "0" * 400, '"\\ud800"', '"\\u0000"',
)  # fmt: skip
NOISE = "{}[]\"',:\\ \n\t0eE.-/*<>`#中é\u200b\u202e\x00"

Mutation = Callable[[random.Random, str], str]


def mutations(count: int, *, seed: int = SEED) -> list[Reply]:
    """Return ``count`` mutated answers, the same ones for the same seed; half come as tool calls."""
    chance = random.Random(seed)
    return [_mutated(chance) for _ in range(count)]


def _mutated(chance: random.Random) -> Reply:
    text = TEXT
    for _ in range(chance.choice((1, 1, 2, 3))):
        text = chance.choice(_MUTATIONS)(chance, text)
    finish = chance.choice(("stop", "stop", "stop", "length", ""))
    if chance.random() < 0.5:
        return Say(text, finish=finish)
    return Call(text, name=chance.choice(("", "", TOOL, "no_such_tool")), finish=finish)


def _odd_value(chance: random.Random, text: str) -> str:
    found = chance.choice(("300", '"C1"', '"run_experiment"', "[]"))
    return text.replace(found, chance.choice(ODD_VALUES), 1)


def _cut(chance: random.Random, text: str) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _drop(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.randint(1, 12) :]


def _insert(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + "".join(chance.choices(NOISE, k=chance.randint(1, 4))) + text[at:]


def _twice(chance: random.Random, text: str) -> str:
    start = chance.randrange(len(text) + 1)
    end = start + chance.randint(1, 60)
    return text[:end] + text[start:end] + text[end:]


def _swapped(chance: random.Random, text: str) -> str:
    old, new = chance.choice(
        (('"', "'"), (",", ";"), (":", "="), ("{", "["), ("}", "]"), ("300", "３００"), ('"', "”"))
    )
    return text.replace(old, new, chance.choice((1, -1)))


def _wrapped(chance: random.Random, text: str) -> str:
    frame = chance.choice(
        (
            "```json\n@\n```",
            "<think>@</think>",
            "<think>no</think>@",
            "[@]",
            '{"turn": @}',
            "Here: @ Done.",
            "@@",
            "@,",
            "/*@*/",
        )
    )
    return json.dumps(text) if chance.random() < 0.2 else frame.replace("@", text)


def _other_shape(chance: random.Random, text: str) -> str:
    value: dict[str, Any] = json.loads(TEXT)
    key = chance.choice(list(TURN))
    value[key] = chance.choice((None, 7, "text", [], {}, [[]], {"a": {"b": 1}}, True, -1.5, "x" * 5000))
    if chance.random() < 0.3:
        del value[chance.choice(list(TURN))]
    return json.dumps(value)


def _deep(chance: random.Random, text: str) -> str:
    depth = chance.choice((50, 3000))
    return text.replace("300", "[" * depth + "300" + "]" * depth, 1)


_MUTATIONS: tuple[Mutation, ...] = (
    _odd_value, _odd_value, _cut, _drop, _insert, _insert, _twice, _swapped, _wrapped, _other_shape, _deep,
)  # fmt: skip
