"""Numbers as people read them."""

import pytest

from reviews.present.figures import measured, number, quantity, share, span


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (42, "42"),
        (42.0, "42"),
        (1728, "1\u202f728"),
        (42.123456, "42.12"),
        (0.0570, "0.057"),
        (-3.5, "−3.5"),
        (0.00001234, "1.234e−05"),
        (12345678.9, "1.235e07"),
        (None, "–"),
        ("", "–"),
        ("CsOPiv", "CsOPiv"),
        (True, "True"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_has_the_digits_that_matter(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "uncertainty", "text"),
    [
        (42.1234, 0.83, "42.12\u00a0±\u00a00.83\u00a0%"),
        (42.1234, 3.0, "42.1\u00a0±\u00a03\u00a0%"),
        (1234.0, 25.0, "1\u202f234\u00a0±\u00a025\u00a0%"),
        (42.1, None, "42.1\u00a0%"),
        (42.1, 0, "42.1\u00a0%"),
        (None, 0.8, "–"),
    ],
)
def test_value_uncertainty_and_unit_are_one(value, uncertainty, text):
    assert measured(value, uncertainty, "%") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.05, "50\u00a0ms"),
        (1.234, "1.2\u00a0s"),
        (240, "4\u00a0min"),
        (7500, "2\u00a0h 5\u00a0min"),
        (7200, "2\u00a0h"),
        (260_000, "3\u00a0d"),
    ],
)
def test_a_length_of_time_has_its_largest_units(seconds, text):
    assert span(seconds) == text


def test_units_and_shares_stay_on_the_line():
    assert (quantity(5, "mL"), quantity(None, "mL"), share(0.314)) == ("5\u00a0mL", "–", "31\u00a0%")
