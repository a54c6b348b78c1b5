"""A rate limit counts starts in any minute."""

import pytest

from agents.core.errors import Transient
from agents.core.rate import RateLimit


def test_so_many_pass_in_a_minute_and_the_next_is_told_how_long_to_wait():
    now = [0.0]
    limit = RateLimit("Probe", 2, clock=lambda: now[0])
    limit.admit()
    now[0] = 10.0
    limit.admit()
    with pytest.raises(Transient, match="2 times a minute; the next call is possible in 50 s") as caught:
        limit.admit()
    assert caught.value.retry_after == 50
    now[0] = 60.0
    limit.admit()


def test_less_than_one_a_minute_spaces_the_starts():
    now = [0.0]
    limit = RateLimit("Oven", 0.5, clock=lambda: now[0])
    limit.admit()
    now[0] = 119.0
    with pytest.raises(Transient):
        limit.admit()
    now[0] = 120.0
    limit.admit()


def test_a_rate_of_nothing_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        RateLimit("Probe", 0)
