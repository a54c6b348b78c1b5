"""Decimal commas: read where they mean one thing, refused with both meanings where they may mean two."""

import pytest
from django.core.exceptions import ValidationError

from reviews.forms.commas import NumberField, pointed


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("71,5", "71.5"),
        ("-0,25", "-0.25"),
        ("0,125", "0.125"),
        ("1234,567", "1234.567"),
        ("1.234,5", "1234.5"),
        ("1,234.5", "1234.5"),
        ("1,234,567", "1234567"),
        ("71,5 ± 0,8 %", "71.5 ± 0.8 %"),
        ("<0,5", "<0.5"),
        ("71.5", "71.5"),
        ("failed, twice", "failed, twice"),
        ("1,2,3", "1,2,3"),
    ],
)
def test_a_comma_is_read_where_it_means_one_thing(typed, read):
    assert pointed(typed) == read


def test_a_comma_that_may_mean_two_things_is_refused_with_both():
    with pytest.raises(ValidationError, match=r"“1,728” may be 1728 or 1\.728"):
        pointed("1,728")


def test_a_field_takes_it_and_keeps_its_limits():
    field = NumberField(max_value=100)
    assert field.clean("71,5") == 71.5
    for wrong in ("100,5", "1,2,3", "nan"):
        with pytest.raises(ValidationError):
            field.clean(wrong)
