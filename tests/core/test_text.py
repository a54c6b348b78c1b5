"""Text at the border."""

import pytest

from agents.core.text import clean_text, clean_value, shorten, with_article


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\x00b", "ab"),
        ("a\x1bb\x7f", "ab"),
        ("tab\tline\nend\r", "tab\tline\nend\r"),
        ("\ud83d alone", "� alone"),
        ("e\u0301", "é"),
        ("温度 🧪", "温度 🧪"),
    ],
)
def test_what_a_database_cannot_keep_is_taken_out(raw, clean):
    assert clean_text(raw) == clean


def test_values_are_cleaned_at_every_depth_and_become_plain():
    assert clean_value({"a\x00": ("b\x00", [1, None, True, 2.5])}) == {"a": ["b", [1, None, True, 2.5]]}


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("short", 10, "short"),
        ("two  words\nmore", 40, "two words more"),
        ("one two three four", 12, "one two…"),
        ("abcdefghijkl", 6, "abcde…"),
    ],
)
def test_shortening_keeps_whole_words(text, limit, short):
    assert shorten(text, limit) == short
    assert len(short) <= limit


def test_the_article_goes_by_the_sound():
    assert [with_article(word) for word in ("attention", "proposal", "outcome")] == [
        "An attention",
        "A proposal",
        "An outcome",
    ]
