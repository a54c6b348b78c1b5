"""Disk and row sizes: flat however long a run gets."""

from itertools import pairwise
from typing import Any, TypedDict

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph

from agents.models import Checkpoint
from agents.store.saver import OrmSaver

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 100
NODES = ("router", "reason", "review", "act", "update", "check")


@pytest.fixture(autouse=True)
async def close_the_engine_threads_connection():
    yield
    await sync_to_async(connections.close_all)()


class Memory(TypedDict, total=False):
    round: int
    protocol: dict[str, Any]
    findings: list[str]
    steps: list[str]
    observation: dict[str, Any]
    log: list[str]


class WeighingSaver(OrmSaver):
    """Also adds up what a saver that stores the whole checkpoint at each step would have stored."""

    whole = 0

    def put(self, config, checkpoint, metadata, new_versions):
        self.whole += len(JsonPlusSerializer().dumps_typed(checkpoint)[1])
        return super().put(config, checkpoint, metadata, new_versions)


def node(name: str):
    def work(state: Memory) -> Memory:
        number = state["round"]
        if name == "router":
            return {"round": number + 1}
        if name == "act":
            return {"observation": {"yield": number % 97 + 0.5, "note": f"round {number} " * 40}}
        if name == "update":
            line = f"round {number}: the yield rose with temperature and stayed flat in time"
            return {
                "findings": [*state["findings"], line][-5:],
                "steps": [*state["steps"], line][-3:],
                "log": [*state["log"], line],
            }
        return {}

    return work


def laboratory(saver: OrmSaver, *, rounds: int):
    builder = StateGraph(Memory)
    for name in NODES:
        builder.add_node(name, node(name))
    builder.add_edge(START, NODES[0])
    for before, after in pairwise(NODES):
        builder.add_edge(before, after)
    builder.add_conditional_edges(NODES[-1], lambda state: NODES[0] if state["round"] < rounds else END)
    return builder.compile(checkpointer=saver)


def stored_bytes() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # Pages that pruning freed are used again, so they are not part of the figure.
            cursor.execute(
                "SELECT (pages.page_count - free.freelist_count) * page.page_size "
                "FROM pragma_page_count pages, pragma_freelist_count free, pragma_page_size page"
            )
        else:
            tables = ("checkpoint", "checkpointblob", "checkpointwrite")
            # What autovacuum would free later is free now, so that the figure does not depend on its timing.
            for name in tables:
                cursor.execute(f"VACUUM FULL agents_{name}")
            cursor.execute(
                " + ".join(["SELECT 0", *(f"pg_total_relation_size('agents_{name}')" for name in tables)])
            )
        return cursor.fetchone()[0]


async def drive(saver: OrmSaver, *, rounds: int) -> Memory:
    start = {
        "round": 0,
        "protocol": {"goal": "maximise the yield " * 50},
        "findings": [],
        "steps": [],
        "log": [],
    }
    config = {"configurable": {"thread_id": "long"}, "recursion_limit": 10_000}
    return await laboratory(saver, rounds=rounds).ainvoke(start, config, durability="sync")


async def test_a_hundred_rounds_take_a_twentieth_of_what_whole_checkpoints_would():
    saver = WeighingSaver()
    before = await sync_to_async(stored_bytes)()
    final = await drive(saver, rounds=ROUNDS)
    used = await sync_to_async(stored_bytes)() - before

    assert (final["round"], len(final["log"])) == (ROUNDS, ROUNDS)
    assert used * 20 <= saver.whole


async def test_the_last_row_is_no_larger_than_an_early_one():
    def largest(newest: int) -> int:
        return max(
            len(str(body))
            for body in Checkpoint.objects.order_by("-id").values_list("body", flat=True)[:newest]
        )

    await drive(OrmSaver(), rounds=5)
    early = await sync_to_async(largest)(10)
    await drive(OrmSaver(), rounds=60)

    assert await sync_to_async(largest)(10) <= early + 8
