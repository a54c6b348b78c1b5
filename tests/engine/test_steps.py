"""A node as a step of the graph: it writes what it changed and says what is next."""

from types import SimpleNamespace

import pytest
from langgraph.runtime import Runtime

from agents.engine.deps import unwatched
from agents.engine.graph import _step
from agents.engine.state import first_state


async def written(before: dict, found: dict) -> dict:
    async def node(state, runtime):
        return found

    step = _step("act", node, lambda state: "review" if state["answer"] is None else "update")
    command = await step({**first_state(), **before}, Runtime(context=SimpleNamespace(watch=unwatched)))
    return {"update": command.update, "goto": command.goto}


async def test_what_is_as_it_was_is_not_written_again():
    same = {"attempt": 1, "outcome": "", "guard_trips": {}, "answer": None}
    assert await written({}, {**same, "idle_steps": 3}) == {"update": {"idle_steps": 3}, "goto": "review"}


@pytest.mark.parametrize(
    ("old", "new"),
    [({"flag": True}, {"flag": 1}), ([1], [1.0]), (1, True), ({}, []), ({"a": 1}, {"a": 1})],
)
async def test_what_is_only_equal_by_python_is_written(old, new):
    assert (await written({"observation": old}, {"observation": new}))["update"] == {"observation": new}


async def test_where_the_graph_goes_is_judged_by_the_new_state():
    assert (await written({"answer": None}, {"answer": {"verdict": "approve"}}))["goto"] == "update"
