"""Nearest names: only when there is one, and only when it is near."""

import pytest

from agents.core.names import edit_distance, unique_nearest

TOOLS = ["measure", "search_documents", "fit"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("measur", "measure"),
        ("Measure", "measure"),
        ("mesaure", "measure"),
        ("serch_document", "search_documents"),
        ("fits", "fit"),
        ("bit_", None),
        ("launch_rocket", None),
        ("", None),
    ],
)
def test_the_name_that_was_meant(name, meant):
    assert unique_nearest(name, TOOLS) == meant


def test_a_tie_is_no_answer():
    assert unique_nearest("tool_3", ["tool_1", "tool_2"]) is None


def test_distance_counts_changes_up_to_the_limit():
    assert edit_distance("kitten", "sitting", limit=5) == 3
    assert edit_distance("kitten", "sitting", limit=2) == 3
    assert edit_distance("a", "abcdef", limit=2) == 3
