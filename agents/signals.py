"""What the engine's persistence tells the layers above, inside the transaction that does it."""

from django.dispatch import Signal

gate_opened = Signal()
"""``gate``: a person must answer it."""

gate_closed = Signal()
"""``gate``: it was answered or cancelled."""

approval_changed = Signal()
"""``approval``: it was remembered, or revoked."""

run_ended = Signal()
"""``run``: nothing more happens by itself."""

run_nudged = Signal()
"""``run_id``: the log has news. Sent after commit; carries no data on purpose."""

clock_ticked = Signal()
"""A worker looks every few seconds for what is due by the clock; sent outside any transaction."""

work_queued = Signal()
"""``run_id``: a run may be claimed. Sent after commit."""
