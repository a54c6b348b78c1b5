"""The log as JSON Lines: one event a line, as it was written."""

import json

from agents.models import Event, Run

_BREAKS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}
"""Line ends for some readers, though not for JSON."""


def write_lines(run: Run) -> str:
    """Return every event of ``run``, oldest first. ``chain`` binds each to all before it."""
    rows = Event.objects.filter(run=run).order_by("seq").iterator(chunk_size=1000)
    return "".join(_line(event) for event in rows)


def _line(event: Event) -> str:
    record = {
        "run": str(event.run_id),
        "seq": event.seq,
        "kind": event.kind,
        "round": event.round,
        "key": event.key,
        "at": event.at.isoformat(),
        "payload": event.payload,
        "chain": event.chain,
    }
    line = json.dumps(record, ensure_ascii=False)
    for mark, spelling in _BREAKS.items():
        line = line.replace(mark, spelling)
    return line + "\n"
