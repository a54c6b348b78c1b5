"""Text at the border."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


ANY = st.text(st.characters(exclude_categories=()) | st.sampled_from("\x00\t\n\x0b\x1b\x7f\x85\ud800é"))


@given(ANY | st.text(st.characters(max_codepoint=127)))
def test_text_that_needs_no_cleaning_is_told_from_text_that_does(text):
    slowly = re.sub("[\ud800-\udfff]", "\ufffd", re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text))
    assert clean_text(text) == unicodedata.normalize("NFC", slowly)


def test_values_are_cleaned_at_every_depth_and_become_plain():
    assert clean_value({"a\x00": ("b\x00", [1, None, True, 2.5])}) == {"a": ["b", [1, None, True, 2.5]]}


LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY


@given(
    st.recursive(LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY, inner, max_size=3))
)
def test_a_value_is_cleaned_as_each_of_its_texts_is(value):
    def slowly(part):
        if isinstance(part, dict):
            return {clean_text(key): slowly(item) for key, item in part.items()}
        if isinstance(part, list):
            return [slowly(item) for item in part]
        return clean_text(part) if isinstance(part, str) else part

    cleaned = clean_value(value)
    assert repr(cleaned) == repr(slowly(value))


def test_what_is_cleaned_is_a_copy():
    inner = {"dose": 5}
    cleaned = clean_value({"action": inner})
    inner["dose"] = 6
    assert cleaned == {"action": {"dose": 5}}


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
