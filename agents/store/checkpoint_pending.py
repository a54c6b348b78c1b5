"""The newest checkpoint of a run until it is stored: one that is superseded before that leaves no row."""

from collections.abc import Callable, Sequence
from typing import Any

from agents.models.checkpoint import Checkpoint
from agents.store.checkpoint_rows import references

Blob = tuple[Any, ...]
"""Thread id, namespace, channel, version, type and data of a value."""
Pending = list[Callable[[Any], object]]
"""What the writer's next transaction calls first."""
CHANNEL, VERSION = 2, 3


class Waiting:
    """A checkpoint with the values that are not stored yet. ``prunes`` says that its storing ends with a pruning."""

    def __init__(self, row: Checkpoint, blobs: Sequence[Blob], *, prunes: bool) -> None:
        self.row = row
        self.blobs = list(blobs)
        self.prunes = prunes

    def absorb(self, row: Checkpoint, blobs: Sequence[Blob], *, prunes: bool) -> bool:
        """Become the checkpoint after this one; False, and nothing changes, when ``row`` does not follow on it.

        One of a ``DeltaChannel`` needs its ancestors and absorbs nothing.
        """
        was = self.row
        follows = (was.thread_id, was.ns, was.checkpoint_id) == (row.thread_id, row.ns, row.parent_id)
        if not follows or row.metadata.get("counters_since_delta_snapshot"):
            return False
        row.parent_id = was.parent_id
        held = references(row)
        kept = [blob for blob in self.blobs if held.get(blob[CHANNEL]) == blob[VERSION]]
        self.row, self.blobs, self.prunes = row, [*kept, *blobs], self.prunes or prunes
        return True
