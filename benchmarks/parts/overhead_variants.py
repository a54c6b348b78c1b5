"""One measured run of a variant, in a process of its own: ``python -m benchmarks.parts.overhead_variants NAME N``.

With ``--commits`` behind it, its commits are counted as well; that costs each variant another share of its time, so
such a run's times mean nothing.
"""

import asyncio
import itertools
import json
import os
import sqlite3
import sqlite3.dbapi2
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Figures = dict[str, Any]
WARM_UP = 3


COMMITS: list[bool] = []
"""One entry for each statement on any connection: whether it was a commit."""


def count_commits() -> None:
    """Let every connection that is opened from now on tell of its statements.

    SQLite then spells each statement out with its values, which is dear where they are long.
    """
    connect = sqlite3.connect

    def told(*given: Any, **named: Any) -> sqlite3.Connection:
        made = connect(*given, **named)
        made.set_trace_callback(lambda statement: COMMITS.append(statement.startswith("COMMIT")))
        return made

    sqlite3.connect = sqlite3.dbapi2.connect = told


def measured(run: Callable[[int], list[float]], rounds: int, folder: Path, before: int) -> Figures:
    """Return time and disk of ``run`` over ``rounds``; it returns the times at which its rounds began."""
    commits = sum(COMMITS)
    wall, cpu = time.perf_counter(), time.process_time()
    stamps = run(rounds)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "commits": (sum(COMMITS) - commits) / rounds,
        "round_ms": 1000 * wall / rounds,
        "cpu_ms": 1000 * cpu / rounds,
        "gaps_ms": [1000 * (b - a) for a, b in itertools.pairwise(stamps)],
        "bytes": size_of(folder) - before,
    }


def size_of(folder: Path) -> int:
    """Return the bytes of every database file in ``folder``."""
    return sum(path.stat().st_size for path in folder.glob("*.sqlite3*"))


def daybook(rounds: int, folder: Path) -> Figures:
    """Drive a run on the product's own rows, as a worker does."""
    os.environ.update(DJANGO_SETTINGS_MODULE="project.settings", DAYBOOK_HOME=str(folder))
    os.environ.pop("DATABASE_URL", None)
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from agents import assembly
    from agents.worker import advance
    from benchmarks.parts.overhead_loop import UNLIMITED, NoOp, toolbox
    from tests.support import make_run, make_study, take

    call_command("migrate", verbosity=0)
    reasoners: list[NoOp] = []

    def drive(count: int) -> list[float]:
        assembly.toolbox_for = lambda protocol: toolbox()
        assembly.reasoner_for = lambda protocol, tools: reasoners[-1]
        reasoners.append(NoOp(count))
        study = make_study(budget=UNLIMITED.model_dump())
        outcome = advance(take(make_run(study, policy="auto")))
        assert outcome == "succeeded", outcome
        return reasoners[-1].stamps

    def settle() -> None:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    drive(WARM_UP)
    settle()
    before = size_of(folder)
    figures = measured(drive, rounds, folder, before)
    settle()
    return {**figures, "bytes": size_of(folder) - before, "rows": _row_sizes(rounds)}


def _row_sizes(rounds: int) -> Figures:
    """Return the mean bytes a round that the log and the checkpoints hold, early and late in the last run."""
    from django.db.models import F, Sum, TextField
    from django.db.models.functions import Cast, Length

    from agents.models import CheckpointBlob, Event, Run

    run = Run.objects.order_by("-created_at").first()
    assert run is not None
    text = Length(Cast("payload", TextField()))

    def logged(first: int, last: int) -> float:
        found = Event.objects.filter(run=run, round__gt=first, round__lte=last).aggregate(sum=Sum(text))
        return float(found["sum"]) / (last - first)

    kept = CheckpointBlob.objects.filter(thread_id=str(run.pk)).annotate(size=Length(F("data")))
    return {
        "log_early": logged(8, 16),
        "log_late": logged(rounds - 16, rounds - 8),
        "checkpoint_largest": max(kept.values_list("size", flat=True)),
    }


def each_step(rounds: int, folder: Path) -> Figures:
    """Drive as ``daybook`` does, but with a commit for every checkpoint, as LangGraph's savers have."""
    os.environ.update(DJANGO_SETTINGS_MODULE="project.settings", DAYBOOK_HOME=str(folder))
    import django

    django.setup()
    from agents import assembly
    from agents.store.saver import OrmSaver

    assembly.saver_for = lambda lease: OrmSaver(writing=lease.writing, keeps_task_writes=False)
    return daybook(rounds, folder)


def same_graph(rounds: int, folder: Path) -> Figures:
    """Drive the product's own graph with LangGraph's saver; the other ports are doubles in memory."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from benchmarks.parts.overhead_loop import UNLIMITED, NoOp, toolbox
    from tests.engine.bench import Bench

    async def go(count: int, path: Path) -> list[float]:
        bench = Bench([], budget=UNLIMITED)
        bench.reasoner, bench.toolbox = NoOp(count), toolbox()
        async with AsyncSqliteSaver.from_conn_string(str(path)) as bench.saver:
            driven = await bench.drive()
            assert driven.status == "finished", driven
            await bench.saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return bench.reasoner.stamps

    asyncio.run(go(WARM_UP, folder / "warm-up"))
    return measured(lambda count: asyncio.run(go(count, folder / "run.sqlite3")), rounds, folder, 0)


def message_loop(rounds: int, folder: Path) -> Figures:
    """Drive four nodes that do nothing over a message history, as agents on LangGraph usually keep it."""
    from typing import Annotated, TypedDict

    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.graph.message import add_messages

    from benchmarks.parts.overhead_loop import note_of, observation

    class State(TypedDict, total=False):
        messages: Annotated[list[AnyMessage], add_messages]
        round: int
        last: int

    stamps: list[float] = []

    def reason(state: State) -> State:
        stamps.append(time.perf_counter())
        number = state.get("round", 0) + 1
        if number > state["last"]:
            return {"round": number}
        call = {"name": "note", "args": {"text": note_of(number)}, "id": f"c{number}"}
        return {"round": number, "messages": [AIMessage("more is better; to see", tool_calls=[call])]}

    def act(state: State) -> State:
        number = state["round"]
        return {"messages": [ToolMessage(observation(number), tool_call_id=f"c{number}")]}

    graph = StateGraph(State)
    for name, node in (("reason", reason), ("review", _nothing), ("act", act), ("update", _nothing)):
        graph.add_node(name, node)
    graph.add_edge(START, "reason")
    graph.add_conditional_edges("reason", lambda state: END if state["round"] > state["last"] else "review")
    graph.add_edge("review", "act")
    graph.add_edge("act", "update")
    graph.add_edge("update", "reason")

    def drive(count: int, path: Path) -> list[float]:
        stamps.clear()
        with SqliteSaver.from_conn_string(str(path)) as saver:
            config = {"recursion_limit": 10**6, "configurable": {"thread_id": "run"}}
            first = {"messages": [HumanMessage("the largest mass")], "last": count}
            graph.compile(checkpointer=saver).invoke(first, config, durability="sync")
            saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return list(stamps)

    drive(WARM_UP, folder / "warm-up")
    return measured(lambda count: drive(count, folder / "run.sqlite3"), rounds, folder, 0)


def _nothing(state: Any) -> dict[str, Any]:
    return {}


VARIANTS = {
    "daybook": daybook,
    "each step": each_step,
    "same graph": same_graph,
    "message loop": message_loop,
}


def main() -> None:
    """Measure one variant and print its figures as JSON."""
    name, rounds = sys.argv[1], int(sys.argv[2])
    if "--commits" in sys.argv:
        count_commits()
    os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
    # Beside the repository's own var/, on a disk: a memory file system would make every commit free.
    with tempfile.TemporaryDirectory(prefix="daybook-overhead-") as folder:
        print(json.dumps(VARIANTS[name](rounds, Path(folder))))


if __name__ == "__main__":
    main()
