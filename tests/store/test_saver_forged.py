"""Rows that we did not write, or that lost a part: a clear error, and nothing is called."""

import pickle
from decimal import Decimal
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.conformance.test_utils import (
    generate_checkpoint,
    generate_config,
    generate_metadata,
)
from langgraph.checkpoint.serde import jsonplus
from langgraph.types import Interrupt, Send

from agents.core.errors import BadInput, Damaged
from agents.core.lifecycle import RunStatus
from agents.core.tools import Action
from agents.models import CheckpointBlob, CheckpointWrite
from agents.store.checkpoint_serde import PlainSerializer
from agents.store.saver import OrmSaver

CALLED: list[str] = []


def called(*args: Any, **kwargs: Any) -> str:
    CALLED.append("called")
    return "called"


class Trap:
    def __reduce__(self):
        return called, ()


def extension(code: int, *parts: Any) -> bytes:
    return ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(parts)))


HERE = __name__
FORGED = {
    "a constructor": ("msgpack", extension(jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG, HERE, "called", 1)),
    "positional": ("msgpack", extension(jsonplus.EXT_CONSTRUCTOR_POS_ARGS, HERE, "called", [1])),
    "keywords": ("msgpack", extension(jsonplus.EXT_CONSTRUCTOR_KW_ARGS, HERE, "called", {})),
    "a method": ("msgpack", extension(jsonplus.EXT_METHOD_SINGLE_ARG, HERE, "Trap", 1, "__reduce__")),
    "a pydantic model": ("msgpack", extension(jsonplus.EXT_PYDANTIC_V2, HERE, "called", {}, "x")),
    "an older pydantic model": ("msgpack", extension(jsonplus.EXT_PYDANTIC_V1, HERE, "called", {})),
    "hidden in a permitted type": (
        "msgpack",
        extension(
            jsonplus.EXT_CONSTRUCTOR_KW_ARGS,
            "langgraph.types",
            "Interrupt",
            {"value": ormsgpack.Ext(0, ormsgpack.packb((HERE, "called", 1)))},
        ),
    ),
    "hidden in a list": (
        "msgpack",
        ormsgpack.packb([{"a": ormsgpack.Ext(0, ormsgpack.packb((HERE, "called", 1)))}]),
    ),
    "a pickle": ("pickle", pickle.dumps(Trap())),
    "a JSON constructor": ("json", b'{"lc": 2, "type": "constructor", "id": ["os", "getcwd"]}'),
    "noise": ("msgpack", b"\xc1\x00\xff"),
    "nothing": ("msgpack", b""),
}


def saved(**values: Any) -> OrmSaver:
    saver = OrmSaver()
    versions = dict.fromkeys(values, "00000001.aa")
    checkpoint = generate_checkpoint(channel_values=values, channel_versions=versions)
    config = saver.put(generate_config("t"), checkpoint, generate_metadata(), versions)
    saver.put_writes(config, [("round", 1)], "task")
    return saver


@pytest.mark.django_db
@pytest.mark.parametrize("table", [CheckpointBlob, CheckpointWrite])
@pytest.mark.parametrize("name", FORGED)
def test_a_forged_row_is_an_error_that_says_where_and_calls_nothing(name, table):
    saver = saved(round=1)
    type_, data = FORGED[name]
    table.objects.update(type=type_, data=data)

    with pytest.raises(
        Damaged, match=r"of t: channel 'round' cannot be read: .*start from another checkpoint"
    ):
        saver.get_tuple(generate_config("t"))
    assert CALLED == []


@pytest.mark.django_db
def test_a_lost_value_is_an_error_and_not_an_empty_channel():
    saver = saved(round=1, notes=["a"])
    CheckpointBlob.objects.filter(channel="notes").delete()

    with pytest.raises(Damaged, match=r"channel 'notes' is missing at version 00000001\.aa"):
        saver.get_tuple(generate_config("t"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("value", "named"),
    [
        (RunStatus.QUEUED, "agents.core.lifecycle.RunStatus"),
        ([{"deep": Action(tool="measure")}], "agents.core.tools.Action"),
        (Trap(), "Trap"),
        (2**70, "64-bit"),
    ],
)
def test_state_that_would_come_back_changed_is_refused_when_it_is_written(value, named):
    with pytest.raises(BadInput, match=rf"channel 'step': .*{named}.*plain JSON values only"):
        saved(step=value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        b"\x00\xff",
        {"text": "温度 ≤ 110 °C", "numbers": [1, -2.5, True, None], "empty": {}},
        {1: "integer keys stay"},
        Interrupt(value={"question": "may I?"}, id="i"),
        Send("measure", {"round": 3}),
        {Decimal("1.10"), Decimal("2")},
    ],
)
def test_plain_data_and_the_graphs_own_types_come_back_as_they_were(value):
    serde = PlainSerializer()

    assert serde.loads_typed(serde.dumps_typed(value)) == value


def test_a_graph_cannot_widen_what_is_allowed():
    saver = OrmSaver()

    assert saver.with_allowlist([(HERE, "called")]) is saver
