"""LangGraph's saver on our own tables: every capability of its contract, on SQLite and PostgreSQL."""

import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

from django.db import transaction
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    CheckpointMetadata,
    CheckpointTuple,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.base import Checkpoint as SavedState

from agents.core.errors import BadInput, Conflict
from agents.core.faults import fault_point
from agents.core.text import clean_value
from agents.models.checkpoint import Checkpoint, CheckpointBlob, CheckpointWrite
from agents.store import checkpoint_query as query
from agents.store import checkpoint_rows as rows
from agents.store.bridge import in_database
from agents.store.checkpoint_pending import Made, Pending, Waiting
from agents.store.checkpoint_pruning import delete_rows, prune_rows
from agents.store.checkpoint_serde import PlainSerializer
from agents.store.rows import insert, insert_all

_BLOB = ("thread_id", "ns", "channel", "version", "type", "data")
_WRITE = ("thread_id", "ns", "checkpoint_id", "task_id", "idx", "task_path", "channel", "type", "data")

KEEP = 20
PRUNE_EVERY = 20
"""Steps between prunings, which read the rows that stay."""


def nothing_pinned() -> Collection[str]:
    """Pin no checkpoint."""
    return ()


class OrmSaver(BaseCheckpointSaver[str]):
    """Keeps the checkpoints of graphs. A value is stored once, in its own row, whatever refers to it.

    ``writing`` opens the transaction of every write; a lease's own raises ``Fenced`` when the writer lost its
    run, and nothing is written then. With ``pending``, a checkpoint is put there to be called inside the writer's
    next transaction, and of several in a row the last one is stored: for writers that begin nothing outside before that. After a step at most ``keep`` + 19 checkpoints of a namespace remain, and
    those that ``pinned()`` names (None keeps all). Without ``keeps_task_writes`` what a finished task wrote is
    stored with the next checkpoint only: for graphs whose nodes may run again. The asynchronous methods run on
    Django's own thread, so that all database work of a worker stays on one connection; no transaction outlives
    a call. Raises ``BadInput`` for state that is not plain data, ``Damaged`` for rows that cannot be read back.
    """

    serde: PlainSerializer

    def __init__(
        self,
        *,
        keep: int | None = KEEP,
        pinned: Callable[[], Collection[str]] = nothing_pinned,
        keeps_task_writes: bool = True,
        writing: Callable[[], AbstractContextManager[object]] = transaction.atomic,
        pending: Pending | None = None,
    ) -> None:
        super().__init__(serde=PlainSerializer())
        self._keep = keep
        self._pinned = pinned
        self._keeps_task_writes = keeps_task_writes
        self._writing = writing
        self._pending = pending
        self._waiting: Waiting | None = None
        # Whoever has the lease alone writes to the thread, and a drive begins with the same question twice.
        self._looked: tuple[object, CheckpointTuple | None] | None = None

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> Self:
        """Return the same saver: a graph's schema does not widen what a checkpoint may hold."""
        return self

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version of a channel. Its random part keeps branches of a thread apart."""
        number = int(str(current).split(".")[0]) if current is not None else 0
        return f"{number + 1:08d}.{secrets.token_hex(4)}"

    # Reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that ``config`` names, or the latest of its thread and namespace."""
        looked, self._looked = self._looked, None
        if looked is not None and looked[0] == query.address(config):
            return looked[1]
        found = query.one(config)
        made = rows.tuples([found], self.serde)[0] if found else None
        if self._pending is not None:
            self._looked = query.address(config), made
        return made

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first; ``filter`` compares metadata, None matches a missing key."""
        keys = query.matching(config, metadata=filter or {}, before=before, limit=limit)
        for batch in rows.batches(keys):
            yield from rows.tuples(Checkpoint.objects.filter(pk__in=batch).order_by("-id"), self.serde)

    # Writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: SavedState,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint and the values that are new in it; prune now and then. Return its configuration."""
        self._looked = None
        thread_id, ns, parent_id = query.address(config)
        values = checkpoint["channel_values"]
        row = Checkpoint(
            thread_id=thread_id,
            ns=ns,
            checkpoint_id=checkpoint["id"],
            parent_id=parent_id,
            body=query.plain({k: v for k, v in checkpoint.items() if k != "channel_values"}, "checkpoint"),
            filled=sorted(channel for channel in values if channel in checkpoint["channel_versions"]),
            metadata=query.plain(
                clean_value(get_serializable_checkpoint_metadata(config, metadata)), "metadata"
            ),
        )
        blobs = [
            (thread_id, ns, channel, str(version), *self._packed(channel, values[channel]))
            for channel, version in new_versions.items()
            if channel in values
        ]
        prunes = self._keep is not None and row.metadata.get("step", 0) % PRUNE_EVERY == 0
        fault_point("before_checkpoint")
        made = Made(row, blobs, prunes=prunes)
        if self._pending is None:
            with self._writing():
                self._store(made)
        else:
            waiting = Waiting(made, self._pending, self._store)
            waiting.put_off(self._waiting)
            self._waiting = waiting
        fault_point("after_checkpoint")
        return rows.config_for(thread_id, ns, checkpoint["id"])

    def _store(self, made: Made) -> None:
        row = made.row
        insert_all(CheckpointBlob, _BLOB, made.blobs, unless=("thread_id", "ns", "version", "channel"))
        if not insert(row, unless=("thread_id", "ns", "checkpoint_id")):
            changed = {name: getattr(row, name) for name in ("parent_id", "body", "filled", "metadata")}
            named = Checkpoint.objects.filter(
                thread_id=row.thread_id, ns=row.ns, checkpoint_id=row.checkpoint_id
            )
            named.update(**changed)
        if made.prunes:
            prune_rows(row.thread_id, keep=self._keep or 0, pinned=self._pinned())

    def _packed(self, channel: str, value: Any) -> tuple[str, bytes]:
        try:
            return self.serde.dumps_typed(value)
        except BadInput as error:
            raise BadInput(f"channel {channel!r}: {error}") from error

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote. A second time changes nothing but errors, interrupts and resume values."""
        self._looked = None
        if not self._keeps_task_writes and all(channel not in WRITES_IDX_MAP for channel, _ in writes):
            return
        thread_id, ns, checkpoint_id = query.address(config)
        rank = [WRITES_IDX_MAP.get(channel, position) for position, (channel, _) in enumerate(writes)]
        made = [
            (thread_id, ns, checkpoint_id, task_id, idx, task_path, channel, *self._packed(channel, value))
            for idx, (channel, value) in zip(rank, writes, strict=True)
        ]
        special = {row[4]: row for row in made if row[4] < 0}
        with self._writing():
            insert_all(CheckpointWrite, _WRITE, [row for row in made if row[4] >= 0], unless=_WRITE[:5])
            CheckpointWrite.objects.bulk_create(
                [CheckpointWrite(**dict(zip(_WRITE, row, strict=True))) for row in special.values()],
                update_conflicts=True,
                unique_fields=_WRITE[:5],
                update_fields=_WRITE[5:],
            )

    # Housekeeping

    def prune_thread(self, thread_id: str, *, keep: int = KEEP, pinned: Collection[str] = ()) -> int:
        """Keep the newest ``keep`` checkpoints of each namespace and the ``pinned``; return how many went."""
        with self._writing():
            return prune_rows(thread_id, keep=keep, pinned={*pinned, *self._pinned()})

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each namespace (``keep_latest``) or none (``delete``)."""
        if strategy not in ("keep_latest", "delete"):
            raise BadInput(f"pruning strategy {strategy!r} is unknown; use 'keep_latest' or 'delete'")
        for thread_id in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread_id)
            else:
                self.prune_thread(thread_id, keep=1)

    def delete_thread(self, thread_id: str) -> None:
        """Delete everything of the thread."""
        self._looked = None
        with self._writing():
            rows.delete_thread_rows(thread_id)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints whose metadata names one of the LangGraph runs, in every thread."""
        self._looked = None
        with self._writing():
            for place, found in rows.by_place(
                Checkpoint.objects.filter(metadata__run_id__in=run_ids)
            ).items():
                delete_rows(place, [(row.pk, row.checkpoint_id) for row in found])

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy everything of a thread to a new one. Raises ``Conflict`` when the target has checkpoints."""
        with self._writing():
            if Checkpoint.objects.filter(thread_id=target_thread_id).exists():
                raise Conflict(f"thread {target_thread_id} already has checkpoints; copy to a new thread")
            rows.copy_rows(source_thread_id, target_thread_id)

    # The same, asynchronous

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """See ``get_tuple``."""
        return await in_database(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """See ``list``. Everything is read before the first one is yielded."""

        def read() -> tuple[CheckpointTuple, ...]:
            return tuple(self.list(config, filter=filter, before=before, limit=limit))

        for found in await in_database(read):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: SavedState,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """See ``put``."""
        return await in_database(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """See ``put_writes``."""
        await in_database(self.put_writes, config, writes, task_id, task_path)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """See ``prune``."""
        await in_database(self.prune, thread_ids, strategy=strategy)

    async def adelete_thread(self, thread_id: str) -> None:
        """See ``delete_thread``."""
        await in_database(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """See ``delete_for_runs``."""
        await in_database(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """See ``copy_thread``."""
        await in_database(self.copy_thread, source_thread_id, target_thread_id)
