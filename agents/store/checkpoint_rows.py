"""Checkpoint rows: reading them back as LangGraph's tuples, copying. Plain synchronous ORM."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, cast

from django.db.models import QuerySet
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint as SavedState
from langgraph.checkpoint.base import CheckpointMetadata, CheckpointTuple, PendingWrite, writes_sort_key

from agents.core.errors import Damaged
from agents.models.checkpoint import Checkpoint, CheckpointBlob, CheckpointWrite
from agents.store.checkpoint_serde import PlainSerializer

BATCH = 50
Place = tuple[str, str]
"""Thread id and namespace."""
_TABLES: tuple[type[Checkpoint | CheckpointBlob | CheckpointWrite], ...] = (
    CheckpointBlob,
    CheckpointWrite,
    Checkpoint,
)


def config_for(thread_id: str, ns: str, checkpoint_id: str) -> RunnableConfig:
    """Return the configuration that names one checkpoint."""
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}}


def references(row: Checkpoint) -> dict[str, str]:
    """Return the version of each channel that has a value in ``row``."""
    return versions_of(row.body, row.filled)


def versions_of(body: dict[str, Any], filled: Iterable[str]) -> dict[str, str]:
    """Return what ``references`` does, of a row's two fields that tell it."""
    versions = body["channel_versions"]
    return {channel: str(versions[channel]) for channel in filled}


def tuples(rows: Iterable[Checkpoint], serde: PlainSerializer) -> list[CheckpointTuple]:
    """Return ``rows`` in their order as LangGraph reads them. Raises ``Damaged`` for a forged or missing value."""
    rows = list(rows)
    made: dict[int, CheckpointTuple] = {}
    for place, group in by_place(rows).items():
        blobs, writes = _blobs(place, group), _writes(place, group)
        for row in group:
            made[row.pk] = _tuple(row, blobs, writes[row.checkpoint_id], serde)
    return [made[row.pk] for row in rows]


def by_place(rows: Iterable[Checkpoint]) -> dict[Place, list[Checkpoint]]:
    """Group rows by thread and namespace."""
    places: dict[Place, list[Checkpoint]] = defaultdict(list)
    for row in rows:
        places[row.thread_id, row.ns].append(row)
    return places


def _blobs(place: Place, rows: list[Checkpoint]) -> dict[tuple[str, str], CheckpointBlob]:
    versions = {version for row in rows for version in references(row).values()}
    found = CheckpointBlob.objects.filter(thread_id=place[0], ns=place[1], version__in=versions)
    return {(blob.channel, blob.version): blob for blob in found}


def _writes(place: Place, rows: list[Checkpoint]) -> dict[str, list[CheckpointWrite]]:
    ids = [row.checkpoint_id for row in rows]
    by_id: dict[str, list[CheckpointWrite]] = defaultdict(list)
    for write in CheckpointWrite.objects.filter(thread_id=place[0], ns=place[1], checkpoint_id__in=ids):
        by_id[write.checkpoint_id].append(write)
    return by_id


def _tuple(
    row: Checkpoint,
    blobs: dict[tuple[str, str], CheckpointBlob],
    writes: list[CheckpointWrite],
    serde: PlainSerializer,
) -> CheckpointTuple:
    values = {}
    for item in references(row).items():
        if item not in blobs:
            raise Damaged(
                f"{_where(row, item[0])} is missing at version {item[1]}; start from another checkpoint"
            )
        values[item[0]] = _load(serde, blobs[item], _where(row, item[0]))
    # Sorted here, not by the database, whose collations differ.
    writes = sorted(writes, key=lambda write: writes_sort_key(write.task_path, write.task_id, write.idx))
    pending: list[PendingWrite] = [
        (write.task_id, write.channel, _load(serde, write, _where(row, write.channel))) for write in writes
    ]
    return CheckpointTuple(
        config=config_for(row.thread_id, row.ns, row.checkpoint_id),
        checkpoint=cast(SavedState, {**row.body, "channel_values": values}),
        metadata=cast(CheckpointMetadata, row.metadata),
        parent_config=config_for(row.thread_id, row.ns, row.parent_id) if row.parent_id else None,
        pending_writes=pending,
    )


def _where(row: Checkpoint, channel: str) -> str:
    place = f"{row.thread_id} {row.ns}".strip()
    return f"checkpoint {row.checkpoint_id} of {place}: channel {channel!r}"


def _load(serde: PlainSerializer, stored: CheckpointBlob | CheckpointWrite, where: str) -> Any:
    try:
        return serde.loads_typed((stored.type, bytes(stored.data)))
    except Damaged as error:
        raise Damaged(f"{where} cannot be read: {error}; start from another checkpoint") from error


def copy_rows(source: str, target: str) -> None:
    """Copy every row of thread ``source`` to thread ``target``, in order."""
    for model in _TABLES:
        _copy(model.objects.filter(thread_id=source).order_by("pk"), target)


def _copy(found: QuerySet[Any], target: str) -> None:
    for batch in batches(list(found.values_list("pk", flat=True))):
        copies = list(found.filter(pk__in=batch))
        for row in copies:
            row.pk = None
            row.thread_id = target
        found.model.objects.bulk_create(copies)


def delete_thread_rows(thread_id: str) -> None:
    """Delete every row of the thread."""
    for model in _TABLES:
        model.objects.filter(thread_id=thread_id).delete()


def batches(keys: list[int]) -> Iterator[list[int]]:
    """Yield ``keys`` in parts that a database takes in one statement."""
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]
