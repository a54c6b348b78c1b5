"""When somebody may be told: quiet hours and the hour of a digest, in their own time. Pure."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


def after_quiet(now: datetime, *, start: time | None, end: time | None, zone: str) -> datetime:
    """Return ``now``, or when the quiet hours that it lies in end. They may run past midnight.

    Equal hours, or one that is missing, are no quiet hours.
    """
    if start is None or end is None or start == end:
        return now
    local = now.astimezone(ZoneInfo(zone))
    is_over_midnight = start > end
    clock = local.time()
    is_quiet = (clock >= start or clock < end) if is_over_midnight else (start <= clock < end)
    if not is_quiet:
        return now
    day = local.date() + timedelta(days=1 if is_over_midnight and clock >= start else 0)
    ends = datetime.combine(day, end, tzinfo=ZoneInfo(zone))
    if ends.astimezone(UTC) < now.astimezone(UTC):
        # The hour that comes twice when summer time ends: it is the second time by now.
        ends = ends.replace(fold=1)
    return ends.astimezone(now.tzinfo)


def next_digest(now: datetime, *, hour: int, zone: str) -> datetime:
    """Return the next time that it is ``hour`` o'clock in ``zone``."""
    local = now.astimezone(ZoneInfo(zone))
    today = datetime.combine(local.date(), time(hour), tzinfo=ZoneInfo(zone))
    then = (
        today
        if today > local
        else datetime.combine(local.date() + timedelta(days=1), time(hour), tzinfo=ZoneInfo(zone))
    )
    return then.astimezone(now.tzinfo)
