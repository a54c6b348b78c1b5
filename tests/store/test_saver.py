"""What the saver promises beyond LangGraph's contract: fencing, order of arrival, pruning, plain data."""

import asyncio
import operator
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, TypedDict

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext
from langgraph.checkpoint.conformance.test_utils import (
    generate_checkpoint,
    generate_config,
    generate_metadata,
)
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from agents.core.errors import BadInput, Conflict, Fenced
from agents.models import Checkpoint, CheckpointBlob, CheckpointWrite
from agents.store.saver import OrmSaver

pytestmark = pytest.mark.django_db(transaction=True)
THREAD = "研究/α-run 7 🧪"


@pytest.fixture(autouse=True)
async def close_the_engine_threads_connection():
    yield
    await sync_to_async(connections.close_all)()


class State(TypedDict, total=False):
    round: int
    notes: Annotated[list[str], operator.add]
    answer: Any


def count_up(state: State) -> State:
    return {"round": state.get("round", 0) + 1, "notes": [f"round {state.get('round', 0) + 1}"]}


def looping_graph(saver: OrmSaver, *, rounds: int):
    builder = StateGraph(State)
    builder.add_node("work", count_up)
    builder.add_edge(START, "work")
    builder.add_conditional_edges("work", lambda state: "work" if state["round"] < rounds else END)
    return builder.compile(checkpointer=saver)


def asking_graph(saver: OrmSaver):
    builder = StateGraph(State)
    builder.add_node("ask", lambda state: {"answer": interrupt({"question": "may I?"})})
    builder.add_edge(START, "ask")
    return builder.compile(checkpointer=saver)


def settings_for(thread_id: str = THREAD) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": 1000}


def put(saver: OrmSaver, parent=None, *, thread_id: str = THREAD, checkpoint_id=None, **values: Any):
    """Store a checkpoint whose every value is new."""
    config = generate_config(thread_id)
    if parent is not None:
        config["configurable"]["checkpoint_id"] = parent["configurable"]["checkpoint_id"]
    versions = {name: saver.get_next_version(None, None) for name in values}
    checkpoint = generate_checkpoint(
        checkpoint_id=checkpoint_id, channel_values=values, channel_versions=versions
    )
    return saver.put(config, checkpoint, generate_metadata(step=1), versions)


def rows_of_all_tables() -> int:
    return Checkpoint.objects.count() + CheckpointBlob.objects.count() + CheckpointWrite.objects.count()


async def test_a_paused_graph_continues_in_a_new_process_with_the_answer():
    paused = await asking_graph(OrmSaver()).ainvoke({"round": 3}, settings_for())
    resumed = await asking_graph(OrmSaver()).ainvoke(Command(resume={"verdict": "approve"}), settings_for())

    assert paused["__interrupt__"][0].value == {"question": "may I?"}
    assert resumed == {"round": 3, "notes": [], "answer": {"verdict": "approve"}}


def test_the_synchronous_methods_serve_a_graph_too():
    saver = OrmSaver()
    config = put(saver, round=1)
    saver.put_writes(config, [("round", 2)], "task")

    found = saver.get_tuple(generate_config(THREAD))

    assert found.checkpoint["channel_values"] == {"round": 1}
    assert found.pending_writes == [("task", "round", 2)]


def test_parallel_writes_are_read_in_the_order_in_which_the_graph_applies_them():
    saver = OrmSaver()
    config = put(saver, round=1)
    saver.put_writes(config, [("notes", "third"), ("notes", "fourth")], "task-a", "~path, 2")
    saver.put_writes(config, [("notes", "second")], "task-b", "~path, 1")
    saver.put_writes(config, [("notes", "first")], "task-c")

    written = [value for _, _, value in saver.get_tuple(config).pending_writes]

    assert written == ["first", "second", "third", "fourth"]


def test_the_latest_checkpoint_is_the_last_to_arrive_even_when_the_clock_went_back():
    saver = OrmSaver()
    first = put(saver, checkpoint_id="1f0cccc0-0000-6000-8000-000000000000", round=1)
    put(saver, first, checkpoint_id="1f0aaaa0-0000-6000-8000-000000000000", round=2)

    assert saver.get_tuple(generate_config(THREAD)).checkpoint["channel_values"] == {"round": 2}
    assert [found.checkpoint["channel_values"]["round"] for found in saver.list(None, before=first)] == []


def test_two_branches_of_a_thread_keep_their_own_values():
    saver = OrmSaver()
    root = put(saver, round=0)
    left, right = put(saver, root, round="left"), put(saver, root, round="right")

    assert saver.get_tuple(left).checkpoint["channel_values"] == {"round": "left"}
    assert saver.get_tuple(right).checkpoint["channel_values"] == {"round": "right"}


@pytest.mark.parametrize(
    ("wanted", "steps"),
    [
        ({"step": 2}, [2]),
        ({"source": "loop"}, [3, 1]),
        ({"tags": {"b": [1, None], "a": "é"}}, [1]),
        ({"missing": None, "source": "input"}, [2]),
        ({"step__gte": 0}, []),
    ],
)
def test_metadata_is_matched_alike_on_every_database(wanted, steps):
    saver = OrmSaver()
    for step, extra in [(1, {"tags": {"a": "é", "b": [1, None]}}), (2, {}), (3, {})]:
        metadata = generate_metadata(source="loop" if step % 2 else "input", step=step, **extra)
        saver.put(generate_config(THREAD), generate_checkpoint(), metadata, {})

    assert [found.metadata["step"] for found in saver.list(generate_config(THREAD), filter=wanted)] == steps


def test_a_limit_counts_what_matched():
    saver = OrmSaver()
    for step in (1, 2, 3):
        saver.put(
            generate_config(THREAD),
            generate_checkpoint(),
            generate_metadata(step=step, even=step % 2 == 0),
            {},
        )

    found = list(saver.list(generate_config(THREAD), filter={"even": False}, limit=1))

    assert [item.metadata["step"] for item in found] == [3]


# Fencing


@contextmanager
def lost_lease() -> Iterator[None]:
    with transaction.atomic():
        raise Fenced("the lease of this worker is over")
        yield


def test_a_worker_without_its_lease_writes_nothing_at_all():
    config = put(OrmSaver(), round=1)
    before = rows_of_all_tables()
    stale = OrmSaver(writing=lost_lease)

    for write in (
        lambda: put(stale, config, round=2),
        lambda: stale.put_writes(config, [("round", 2)], "task"),
        lambda: stale.prune_thread(THREAD, keep=0),
        lambda: stale.delete_thread(THREAD),
        lambda: stale.delete_for_runs(["x"]),
        lambda: stale.copy_thread(THREAD, "other"),
    ):
        with pytest.raises(Fenced):
            write()
    assert rows_of_all_tables() == before


async def test_every_step_is_one_transaction_and_none_stays_open_between_calls():
    opened: list[bool] = []

    @contextmanager
    def watched() -> Iterator[None]:
        opened.append(connection.in_atomic_block)
        with transaction.atomic():
            yield

    saver = OrmSaver(writing=watched)
    await looping_graph(saver, rounds=3).ainvoke({}, settings_for())

    assert opened
    assert not any(opened)
    assert await sync_to_async(lambda: connection.in_atomic_block)() is False


# Pruning


async def test_a_long_run_keeps_its_last_checkpoints_only():
    graph = looping_graph(OrmSaver(keep=20), rounds=60)
    final = await graph.ainvoke({}, settings_for())

    steps = [found.metadata["step"] async for found in graph.checkpointer.alist(settings_for())]
    assert steps == list(range(60, 60 - len(steps), -1))
    assert 20 <= len(steps) <= 24
    assert final["notes"][-1] == "round 60"


async def test_every_checkpoint_that_stays_can_still_be_read():
    graph = looping_graph(OrmSaver(keep=5), rounds=30)
    await graph.ainvoke({}, settings_for())

    history = [found.values["round"] async for found in graph.aget_state_history(settings_for())]

    assert history == list(range(30, 30 - len(history), -1))


async def test_pruning_leaves_no_value_or_write_that_nothing_refers_to():
    saver = OrmSaver(keep=None)
    await looping_graph(saver, rounds=30).ainvoke({}, settings_for())
    await sync_to_async(saver.prune_thread)(THREAD, keep=1)

    def left() -> tuple[int, set[str], int]:
        blobs = set(CheckpointBlob.objects.values_list("channel", flat=True))
        return Checkpoint.objects.count(), blobs, CheckpointWrite.objects.count()

    assert await sync_to_async(left)() == (1, {"round", "notes"}, 0)


def test_a_checkpoint_that_a_review_points_to_stays():
    saver = OrmSaver(keep=2, pinned=lambda: {shown["configurable"]["checkpoint_id"]})
    shown = config = put(saver, round=0)
    for number in range(1, 8):
        config = put(saver, config, round=number)

    assert saver.prune_thread(THREAD, keep=2) == 5
    assert saver.get_tuple(shown).checkpoint["channel_values"] == {"round": 0}
    assert saver.prune_thread(THREAD, keep=2, pinned=set()) == 0


def test_pruning_spares_the_steps_that_a_delta_channel_is_rebuilt_from():
    from langgraph.channels.delta import DeltaChannel

    class Log(TypedDict):
        lines: Annotated[
            list[str], DeltaChannel(lambda old, new: [*old, *(x for part in new for x in part)], list)
        ]

    builder = StateGraph(Log)
    builder.add_node("write", lambda state: {"lines": [str(len(state["lines"]))]})
    builder.add_edge(START, "write")
    builder.add_conditional_edges("write", lambda state: "write" if len(state["lines"]) < 12 else END)
    saver = OrmSaver(keep=3)
    graph = builder.compile(checkpointer=saver)
    asyncio.run(graph.ainvoke({"lines": []}, settings_for()))

    state = asyncio.run(graph.aget_state(settings_for()))

    assert state.values == {"lines": [str(number) for number in range(12)]}


# Bad input


def test_a_copy_does_not_mix_into_a_thread_that_has_checkpoints():
    saver = OrmSaver()
    put(saver, round=1)
    put(saver, thread_id="other", round=1)

    with pytest.raises(Conflict, match="copy to a new thread"):
        saver.copy_thread(THREAD, "other")


@pytest.mark.parametrize("thread_id", ["", "a\x00b", "a\ud800"])
def test_a_thread_id_that_databases_treat_differently_is_refused(thread_id):
    with pytest.raises(BadInput, match="thread id"):
        OrmSaver().get_tuple({"configurable": {"thread_id": thread_id}})


def test_a_configuration_without_a_thread_says_what_to_pass():
    with pytest.raises(BadInput, match="has no thread_id; pass"):
        OrmSaver().get_tuple({"configurable": {}})


def test_an_unknown_pruning_strategy_names_the_known_ones():
    with pytest.raises(BadInput, match="'keep_latest' or 'delete'"):
        OrmSaver().prune([THREAD], strategy="keep_some")


def test_metadata_that_is_no_json_is_refused_before_anything_is_stored():
    with pytest.raises(BadInput, match="metadata is not plain JSON"):
        OrmSaver().put(
            generate_config(THREAD), generate_checkpoint(), generate_metadata(score=float("nan")), {}
        )

    assert rows_of_all_tables() == 0


def test_nul_in_metadata_text_is_dropped_as_everywhere():
    saver = OrmSaver()
    saver.put(generate_config(THREAD), generate_checkpoint(), generate_metadata(note={"a\x00": "b\x00c"}), {})

    assert saver.get_tuple(generate_config(THREAD)).metadata["note"] == {"a": "bc"}


def test_of_checkpoints_that_wait_for_one_transaction_the_last_is_stored_with_every_value():
    pending: list = []
    saver = OrmSaver(pending=pending, keeps_task_writes=False)
    graph = looping_graph(saver, rounds=6)
    final = graph.invoke({"round": 0}, settings_for(), durability="sync")
    assert Checkpoint.objects.count() == 0
    for write in pending:
        write(None)
    assert Checkpoint.objects.count() == 1
    assert OrmSaver().get_tuple(settings_for()).checkpoint["channel_values"]["round"] == final["round"]
    assert graph.get_state(settings_for()).values == final


def test_a_checkpoint_after_one_that_was_stored_meanwhile_is_stored_beside_it():
    pending: list = []
    saver = OrmSaver(pending=pending)
    first = put(saver, round=1)
    pending.pop()(None)
    second = put(saver, first, round=2)
    pending.pop()(None)
    assert Checkpoint.objects.count() == 2
    assert OrmSaver().get_tuple(second).parent_config == first


def test_pruning_is_not_forgotten_when_the_checkpoint_that_was_due_for_it_is_superseded():
    pending: list = []
    saver = OrmSaver(keep=2, pending=pending)
    graph = looping_graph(saver, rounds=41)
    for _ in graph.stream({"round": 0}, settings_for(), durability="sync"):
        if len(pending) and Checkpoint.objects.count() < 7:
            pending.pop()(None)
    pending.pop()(None)
    assert Checkpoint.objects.count() == 2


def waiting_around_a_gate() -> tuple[list, Any]:
    """Return what waits: a checkpoint, a gate, and the checkpoint that rests on the gate; and the first one's place."""
    pending: list = []
    saver = OrmSaver(pending=pending)
    first = put(saver, round=1, kept="from the first")
    pending.append(lambda run: None)
    put(saver, first, round=2)
    assert len(pending) == 3
    return pending, first


def test_a_checkpoint_is_left_to_the_one_behind_a_gate_that_is_stored_with_it():
    pending, _ = waiting_around_a_gate()
    for write in pending:
        write(None)
    assert Checkpoint.objects.count() == 1
    assert OrmSaver().get_tuple(settings_for()).checkpoint["channel_values"] == {"round": 2}


def test_a_checkpoint_is_stored_when_the_gate_behind_it_takes_back_what_rests_on_it():
    pending, first = waiting_around_a_gate()
    pending[0](None)
    del pending[1:]
    pending[0](None)
    found = OrmSaver().get_tuple(settings_for())
    assert found.config["configurable"]["checkpoint_id"] == first["configurable"]["checkpoint_id"]
    assert found.checkpoint["channel_values"] == {"round": 1, "kept": "from the first"}


def test_checkpoints_that_wait_are_stored_alike_when_their_transaction_is_tried_again():
    pending, _ = waiting_around_a_gate()
    with suppress(ZeroDivisionError), transaction.atomic():
        for write in pending:
            write(None)
        raise ZeroDivisionError
    assert Checkpoint.objects.count() == 0
    for write in pending:
        write(None)
    assert Checkpoint.objects.get().parent_id == ""


def test_whoever_writes_alone_reads_the_same_checkpoint_once_for_two_questions():
    first = put(OrmSaver(), round=1)
    saver = OrmSaver(pending=[])
    with CaptureQueriesContext(connection) as asked:
        assert saver.get_tuple(settings_for()) == saver.get_tuple(settings_for())
    assert len(asked) == 3
    put(OrmSaver(), first, round=2)
    assert saver.get_tuple(settings_for()).checkpoint["channel_values"] == {"round": 2}


def test_what_was_read_is_not_told_after_a_write():
    config = put(OrmSaver(), round=1)
    saver = OrmSaver(pending=[])
    saver.get_tuple(settings_for())
    saver.put_writes(config, [("__interrupt__", "asked")], "task")
    assert len(saver.get_tuple(settings_for()).pending_writes) == 1
