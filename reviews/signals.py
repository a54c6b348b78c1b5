"""What the desk tells, inside the transaction that does it."""

from django.dispatch import Signal

review_changed = Signal()
"""``review``, ``what`` (second, disputed, assigned, escalated, deadline) and ``by`` (a user or None): people must know."""
