"""Quiet hours and digests in people's own time."""

from datetime import UTC, datetime, time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviews.notify.when import after_quiet, next_digest


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "start", "end", "zone", "expected"),
    [
        ("2026-01-10T12:00", time(22), time(7), "UTC", "2026-01-10T12:00"),
        ("2026-01-10T23:00", time(22), time(7), "UTC", "2026-01-11T07:00"),
        ("2026-01-10T03:00", time(22), time(7), "UTC", "2026-01-10T07:00"),
        ("2026-01-10T07:00", time(22), time(7), "UTC", "2026-01-10T07:00"),
        ("2026-01-10T13:30", time(13), time(14), "UTC", "2026-01-10T14:00"),
        ("2026-01-10T22:00", time(22), time(7), "Asia/Shanghai", "2026-01-10T23:00"),
        ("2026-07-10T21:00", time(22), time(7), "Europe/Berlin", "2026-07-11T05:00"),
        ("2026-10-25T00:30", time(22), time(2, 40), "Europe/Berlin", "2026-10-25T00:40"),
        ("2026-10-25T01:30", time(22), time(2, 40), "Europe/Berlin", "2026-10-25T01:40"),
        ("2026-01-10T23:00", None, time(7), "UTC", "2026-01-10T23:00"),
        ("2026-01-10T23:00", time(7), time(7), "UTC", "2026-01-10T23:00"),
    ],
)
def test_quiet_hours_end_where_the_person_lives(now, start, end, zone, expected):
    assert after_quiet(at(now), start=start, end=end, zone=zone) == at(expected)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),
    st.times(),
    st.times(),
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Shanghai", "America/New_York"]),
)
def test_it_is_never_earlier_and_at_most_a_day_later(now, start, end, zone):
    moment = now.replace(tzinfo=UTC)
    told = after_quiet(moment, start=start, end=end, zone=zone)
    assert 0 <= (told - moment).total_seconds() <= 25 * 3600


@pytest.mark.parametrize(
    ("now", "zone", "expected"),
    [
        ("2026-01-10T07:59", "UTC", "2026-01-10T08:00"),
        ("2026-01-10T08:00", "UTC", "2026-01-11T08:00"),
        ("2026-01-10T12:00", "Asia/Shanghai", "2026-01-11T00:00"),
    ],
)
def test_a_digest_comes_at_its_hour(now, zone, expected):
    assert next_digest(at(now), hour=8, zone=zone) == at(expected)
