"""What came of an effect: it is kept once, in the event that ended it, and the ledger's row points there by its key."""

from collections.abc import Iterable
from typing import Any

from agents.models import Effect, Event

Results = dict[int, dict[str, Any]]
ENDS = ("finished", "settled")


def results_of(rows: Iterable[Effect]) -> Results:
    """Return the results of those of ``rows`` that have one, by primary key, in at most one query.

    Rows of older versions hold their result themselves.
    """
    found = {row.pk: row.result for row in rows if row.result is not None}
    ends = {
        (row.run_id, f"{row.key}/{row.attempt}/{end}"): row.pk
        for row in rows
        if row.result is None and row.status == Effect.Status.DONE
        for end in ENDS
    }
    if not ends:
        return found
    events = Event.objects.filter(run_id__in={run for run, _ in ends}, key__in={key for _, key in ends})
    for run_id, key, payload in events.values_list("run_id", "key", "payload"):
        pk = ends.get((run_id, str(key)))
        if pk is not None and payload.get("result") is not None:
            found[pk] = payload["result"]
    return found


def result_of(row: Effect) -> dict[str, Any]:
    """Return the result of one effect; empty when it has none."""
    return results_of([row]).get(row.pk, {})
