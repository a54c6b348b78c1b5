"""Nearest names, for misspelt ones."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

LIST_TOOLS, DESCRIBE_TOOL = "list_tools", "describe_tool"
"""The tools by which a reasoner finds the others."""

MOST_LISTED = 40
NEAR_LISTED = 8


def listed(names: Sequence[str], *, near: str) -> str:
    """Return ``names`` in a row for a message; of very many those most like ``near`` and how to see the rest."""
    ordered = sorted(names)
    if len(ordered) <= MOST_LISTED:
        return ", ".join(ordered) or "none"
    close = get_close_matches(near.casefold(), ordered, n=NEAR_LISTED, cutoff=0.0)
    rest = f" and {len(ordered) - len(close)} more"
    return ", ".join(close) + rest + (f", see {LIST_TOOLS}" if LIST_TOOLS in names else "")


def edit_distance(left: str, right: str, *, limit: int) -> int:
    """Return how many letters must be changed, added or dropped; ``limit`` + 1 when it is more than ``limit``."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        previous, row = row, [i]
        for j, b in enumerate(right, start=1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


def unique_nearest(name: str, names: Iterable[str], *, limit: int = 2) -> str | None:
    """Return the one name within ``limit`` edits of ``name``, case aside; None when there is none or a tie.

    A short name allows one edit only: two turn ``fit`` into half of all short names.
    """
    folded = name.strip().casefold()
    limit = limit if len(folded) >= 6 else min(limit, 1)
    distances = sorted((edit_distance(folded, known.casefold(), limit=limit), known) for known in set(names))
    near = [pair for pair in distances if pair[0] <= limit]
    if not near or (len(near) > 1 and near[0][0] == near[1][0]):
        return None
    return near[0][1]
