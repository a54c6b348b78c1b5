"""The logs: dense, unaltered, and what the rows show of them."""

from collections.abc import Iterator

from django.db import DatabaseError

from agents.core.errors import Damaged
from agents.doctor.registry import Level, Look, Remark, check
from agents.models import Event, Run
from agents.store.audit import log_problems
from agents.store.rebuild import differences, rebuild

SHOWN = 5
UNREADABLE = (ValueError, TypeError, AttributeError, KeyError, DatabaseError)
"""What reading a row raises when a changed byte left no text, no time or no object where one was."""
RESTORE = (
    "Somebody or something changed the database outside Daybook. What comes before is intact; compare with a "
    "backup or an exported log (JSON Lines), and restore from there. Nothing mends this by itself."
)


def place_of(run: Run) -> str:
    """Return how a person names a run."""
    return f"run {run.study.slug}#{run.number} ({run.pk})"


@check("log", order=30)
def log(look: Look) -> Iterator[Remark]:
    """Recompute every chain from its first event; name the first event that does not fit."""
    runs, events = 0, 0
    is_sound = True
    for run in Run.objects.select_related("study").order_by("created_at").iterator(chunk_size=200):
        runs, events = runs + 1, events + run.seq
        look.progress(f"log of {place_of(run)}")
        problems = _problems(run)
        if problems:
            is_sound = False
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            yield Remark(Level.FAIL, problems[0] + more, place_of(run), RESTORE)
    if is_sound:
        yield Remark(
            Level.OK, f"{events:,} events of {runs:,} runs: numbers dense, every chain value recomputed"
        )


def _problems(run: Run) -> list[str]:
    try:
        return log_problems(run.pk, with_state=False)
    except UNREADABLE as fault:
        return [f"Event {_first_unreadable(run)} cannot be read ({type(fault).__name__})."]


def _first_unreadable(run: Run) -> int:
    for seq in Event.objects.filter(run=run).order_by("seq").values_list("seq", flat=True):
        try:
            Event.objects.get(run=run, seq=seq).at.isoformat()
        except UNREADABLE:
            return int(seq)
    return 0


@check("projection", order=35)
def projection(look: Look) -> Iterator[Remark]:
    """Compare runs, experiments and findings with what their logs give; make them anew with ``--repair``."""
    runs, is_sound = 0, True
    for run in Run.objects.select_related("study").order_by("created_at").iterator(chunk_size=200):
        runs += 1
        look.progress(f"rows of {place_of(run)}")
        try:
            found = rebuild(run.pk) if look.repair else differences(run.pk)
        except (Damaged, *UNREADABLE):
            # The check of the log has named it; a row made from it would hide it.
            is_sound = False
            continue
        for each in found[:SHOWN]:
            is_sound = False
            can = each.mend is not None
            todo = (
                "manage.py doctor --repair (or reindex --projections)" if can else "Look where it came from."
            )
            yield Remark(
                Level.FAIL,
                each.what,
                place_of(run),
                todo,
                "made anew from the log" if can and look.repair else "",
            )
        if len(found) > SHOWN:
            yield Remark(
                Level.FAIL,
                f"{len(found) - SHOWN} more rows differ.",
                place_of(run),
                "",
                "as above" if look.repair else "",
            )
    if is_sound:
        yield Remark(Level.OK, f"the rows of {runs:,} runs show what their logs give")
