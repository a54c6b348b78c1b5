"""Equal JSON values have one spelling, whatever way through a database they took."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.canonical import canonical_json, digest_of

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "spelling"),
    [
        ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e16, "10000000000000000"),
        (1e23, "100000000000000000000000"),
        (True, "true"),
        ("温度", '"温度"'),
    ],
)
def test_a_value_has_one_spelling(value, spelling):
    assert canonical_json(value) == spelling


@given(PLAIN)
def test_the_spelling_survives_being_stored_and_read(value):
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [-float("inf")]}])
def test_what_json_cannot_spell_is_refused(value):
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json(value)


def test_different_values_have_different_digests():
    values = [1, "1", True, None, [], {}, 0.5, [1], {"1": 1}]
    assert len({digest_of(value) for value in values}) == len(values)


@given(PLAIN)
def test_a_value_that_needs_no_other_spelling_is_spelt_as_one_that_does(value):
    # The whole number beside it forces the way over every part.
    assert canonical_json([value, 1.0]) == f"[{canonical_json(value)},1]"
