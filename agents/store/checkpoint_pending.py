"""Checkpoints that wait for the writer's next transaction: of several that follow on each other the last is stored."""

from collections.abc import Callable, Sequence
from typing import Any

from agents.models.checkpoint import Checkpoint
from agents.store.checkpoint_rows import references

Blob = tuple[Any, ...]
"""Thread id, namespace, channel, version, type and data of a value."""
Pending = list[Callable[[Any], object]]
"""What the writer's next transaction calls first, all of it or nothing."""
CHANNEL, VERSION = 2, 3


class Made:
    """A checkpoint with the values that are new in it. ``prunes`` says that its storing ends with a pruning."""

    def __init__(self, row: Checkpoint, blobs: Sequence[Blob], *, prunes: bool) -> None:
        self.row = row
        self.blobs = list(blobs)
        self.prunes = prunes
        self.parent_id = row.parent_id

    def follows(self, other: "Made") -> bool:
        """Return True when this one may stand for ``other`` as well.

        One of a ``DeltaChannel`` needs its ancestors and stands for none.
        """
        was, row = other.row, self.row
        is_next = (was.thread_id, was.ns, was.checkpoint_id) == (row.thread_id, row.ns, self.parent_id)
        return is_next and not row.metadata.get("counters_since_delta_snapshot")

    def standing_for(self, before: Sequence["Made"]) -> "Made":
        """Return what is stored for this one and those ``before`` it, latest first: of their values those that hold."""
        if not before:
            return self
        held = references(self.row)
        kept = [blob for made in before for blob in made.blobs if held.get(blob[CHANNEL]) == blob[VERSION]]
        self.row.parent_id = before[-1].parent_id
        return Made(self.row, [*kept, *self.blobs], prunes=self.prunes or any(made.prunes for made in before))


class Waiting:
    """A checkpoint that was put off into ``pending``.

    Called in the transaction it is stored, with those before it that it stands for; unless one after it is there
    that stands for it. A gate in between that is judged anew takes that one back, and then this one is stored.
    """

    def __init__(self, made: Made, pending: Pending, store: Callable[[Made], None]) -> None:
        self._made = made
        self._pending = pending
        self._store = store
        self._before: Waiting | None = None
        self._after: Waiting | None = None

    def put_off(self, before: "Waiting | None") -> None:
        """Wait behind ``before``, the checkpoint that was made last."""
        if before is not None and before._is_pending and self._made.follows(before._made):
            before._after, self._before = self, before
        self._pending.append(self)

    def __call__(self, _: object) -> None:
        """Store the checkpoint in the open transaction, or leave it to the one after it."""
        if self._after is None or not self._after._is_pending:
            self._store(self._made.standing_for(self._unstored()))

    @property
    def _is_pending(self) -> bool:
        return any(write is self for write in self._pending)

    def _unstored(self) -> list[Made]:
        """Return the checkpoints before this one that are left to it, latest first."""
        found, before = [], self._before
        while before is not None and before._is_pending:
            found.append(before._made)
            before = before._before
        return found
