"""What the pages say of a run's record: verified, or broken at which place."""

from dataclasses import dataclass, field

from agents.models import Run
from reviews.models import RecordEntry
from reviews.record.verifying import Fault, read_record

MOST = 2000
"""A longer record is verified by the command: a page must not wait for it."""
SHOWN = 5


@dataclass(frozen=True)
class Trust:
    """How many entries the record has, whether they were read for this page, and the first of what is broken."""

    entries: int
    is_read: bool = True
    faults: list[Fault] = field(default_factory=list)
    more: int = 0


def record_of(run: Run) -> Trust:
    """Return what the record of ``run`` is worth at this moment."""
    count = RecordEntry.objects.filter(run=run).count()
    if count > MOST:
        return Trust(count, is_read=False)
    reading = read_record(run.pk)
    return Trust(reading.entries, True, reading.faults[:SHOWN], max(0, len(reading.faults) - SHOWN))
