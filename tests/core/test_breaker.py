"""The breaker stops calling what keeps failing, and tries again by one probe."""

import pytest

from agents.core.breaker import Breaker
from agents.core.errors import Transient


class Hands:
    """A clock whose hands are moved by the test."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Hands()


@pytest.fixture
def opened(clock):
    breaker = Breaker("the endpoint", threshold=5, rest_s=30, clock=clock)
    for _ in range(5):
        breaker.admit()
        breaker.failed()
    return breaker


def test_four_failures_leave_it_closed(clock):
    breaker = Breaker("the endpoint", threshold=5, clock=clock)
    for _ in range(4):
        breaker.admit()
        breaker.failed()
    breaker.admit()
    assert breaker.health().state == "closed"


def test_a_success_starts_the_count_anew(clock):
    breaker = Breaker("the endpoint", threshold=2, clock=clock)
    for _ in range(4):
        breaker.failed()
        breaker.succeeded()
    assert (breaker.health().state, breaker.health().failures) == ("closed", 0)


def test_five_failures_in_a_row_open_it(opened, clock):
    clock.now += 12.5
    with pytest.raises(Transient) as caught:
        opened.admit()
    assert caught.value.retry_after == 17.5
    assert str(caught.value) == (
        "the endpoint failed 5 times in a row, so it is left alone for a while; "
        "the next attempt is possible in 18 s"
    )


def test_one_probe_passes_after_the_rest(opened, clock):
    clock.now += 30
    assert opened.health().state == "half-open"
    opened.admit()
    with pytest.raises(Transient):
        opened.admit()


def test_a_good_probe_closes_it(opened, clock):
    clock.now += 30
    opened.admit()
    opened.succeeded()
    opened.admit()
    assert opened.health().state == "closed"


def test_a_bad_probe_opens_it_again(opened, clock):
    clock.now += 30
    opened.admit()
    opened.failed()
    clock.now += 29
    with pytest.raises(Transient):
        opened.admit()


def test_a_probe_that_never_reports_does_not_block_for_ever(opened, clock):
    clock.now += 30
    opened.admit()
    clock.now += 30
    opened.admit()
    opened.succeeded()
    assert opened.health().state == "closed"


def test_a_senseless_threshold_is_named():
    with pytest.raises(ValueError, match="breaker 'x' needs threshold >= 1"):
        Breaker("x", threshold=0)
