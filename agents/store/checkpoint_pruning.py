"""Which checkpoint rows are needed no longer, and their deletion. Runs every few rounds of every run."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from agents.models.checkpoint import Checkpoint, CheckpointBlob, CheckpointWrite
from agents.store.checkpoint_rows import Place, versions_of
from agents.store.rows import delete_all, read_all


@dataclass(frozen=True)
class Link:
    """What pruning has to know of a checkpoint: its key, its place among the others, and whether values of it are
    rebuilt from its parent (``leans``)."""

    pk: int
    checkpoint_id: str
    parent_id: str
    leans: bool


_LINK = ("ns", "id", "checkpoint_id", "parent_id", "metadata")


def prune_rows(thread_id: str, *, keep: int, pinned: Collection[str]) -> int:
    """Delete all but the newest ``keep`` checkpoints of each namespace and the ``pinned`` ones; return how many.

    Values and writes that no remaining checkpoint needs go with them.
    """
    places: dict[str, list[Link]] = defaultdict(list)
    for ns, pk, checkpoint_id, parent_id, metadata in read_all(Checkpoint, _LINK, thread_id=thread_id):
        leans = bool(metadata.get("counters_since_delta_snapshot"))
        places[ns].append(Link(pk, checkpoint_id, parent_id, leans))
    count = 0
    for ns, links in places.items():
        kept = _kept(links, keep=keep, pinned=pinned)
        doomed = [(link.pk, link.checkpoint_id) for link in links if link.pk not in kept]
        delete_rows((thread_id, ns), doomed)
        count += len(doomed)
    return count


def _kept(links: list[Link], *, keep: int, pinned: Collection[str]) -> set[int]:
    """Return the keys of those that stay, the ancestors among them that a ``DeltaChannel`` is rebuilt from, back to
    its snapshot."""
    todo = [link for link in links if link.checkpoint_id in pinned] + (links[-keep:] if keep else [])
    kept = {link.pk for link in todo}
    by_id = {link.checkpoint_id: link for link in links}
    while todo:
        link = todo.pop()
        parent = by_id.get(link.parent_id)
        if link.leans and parent and parent.pk not in kept:
            kept.add(parent.pk)
            todo.append(parent)
    return kept


def delete_rows(place: Place, doomed: Iterable[tuple[int, str]]) -> None:
    """Delete checkpoints of one namespace, given by key and id, with their writes and the values that no other one
    holds."""
    keys = list(doomed)
    if not keys:
        return
    at = {"thread_id": place[0], "ns": place[1]}
    delete_all(CheckpointWrite, (checkpoint_id for _, checkpoint_id in keys), by="checkpoint_id", **at)
    delete_all(Checkpoint, (pk for pk, _ in keys))
    left = read_all(Checkpoint, ("body", "filled"), **at)
    used = {item for body, filled in left for item in versions_of(body, filled).items()}
    values = read_all(CheckpointBlob, ("channel", "version", "id"), **at)
    delete_all(CheckpointBlob, (pk for channel, version, pk in values if (channel, version) not in used))
