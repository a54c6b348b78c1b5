"""What a model is saying: its texts as they come, whatever part of the JSON is there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.present.thought import said_so_far

ANSWER = json.dumps(
    {
        "hypothesis": {"text": 'Caesium does "better"\nthan 钾', "refuted_by": "a lower yield"},
        "action": {"tool": "measure", "arguments": {"base": "CsOAc", "temperature": 90}},
        "reason": "largest expected gain",
    }
)


def test_the_texts_stand_with_their_names():
    assert said_so_far(ANSWER).split("\n") == [
        'hypothesis: Caesium does "better"',
        "than 钾",
        "refuted by: a lower yield",
        "base: CsOAc",
        "reason: largest expected gain",
    ]


def test_a_text_is_shown_as_far_as_it_came():
    assert said_so_far('{"hypothesis": {"text": "Caesium do') == "hypothesis: Caesium do"
    assert said_so_far('{"reason": "a \\u949') == "reason: a "


@pytest.mark.parametrize("text", ["", "I would try {less} heat.", "Plain words: nothing else"])
def test_prose_stays_as_it_is(text):
    assert said_so_far(text) == text


def test_a_fence_and_words_before_it():
    assert said_so_far('```json\n{"reason": "cheap"}\n```') == "reason: cheap"
    assert said_so_far('Let me see.\n{"reason": "cheap"') == "Let me see.\nreason: cheap"


def test_json_without_a_text_yet_shows_no_brackets():
    for begun in ("{", '{"', '{"hypo', '{"reason": "cheap", "expec'):
        assert said_so_far(begun) in ("", "reason: cheap")


@given(st.integers(0, len(ANSWER)))
def test_no_prefix_fails_or_shows_a_bracket(length):
    assert not set("{}[]") & set(said_so_far(ANSWER[:length]))
