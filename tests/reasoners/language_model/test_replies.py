"""Objects out of text: what may be undone, what may never be guessed at."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reasoners.language_model.replies import Candidate, Unusable, candidates
from agents.reasoners.language_model.replies.mend import mend
from agents.reasoners.language_model.replies.scan import objects_in, outside_strings
from tests.reasoners.language_model.replies import said


def first(text, **changes):
    return next(iter(candidates(said(text, **changes))))


def test_what_was_undone_is_told():
    candidate = first("<think>so</think>Here:\n```json\n{'a': 1,}\n```")
    assert candidate == Candidate(value={"a": 1}, mended=["thoughts removed", "code fence", "JSON mended"])


def test_every_object_of_a_text_is_offered_in_order():
    values = [c.value for c in candidates(said('An example {"a": 1} and then {"b": {"c": 2}}.'))]
    assert values == [{"a": 1}, {"b": {"c": 2}}]


def test_braces_inside_strings_do_not_count():
    assert first('{"a": "}{", "b": 1}').value == {"a": "}{", "b": 1}


def test_nothing_inside_an_unfinished_object_is_offered():
    text = '{"action": {"tool": "measure", "arguments": {"t": 1}}, "reas'
    assert [type(item) for item in candidates(said(text))] == [Unusable]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it's 5 o'clock'}", {"a": "it's 5 o'clock"}),
        ('{"a": "he said "no" twice", "b": 2}', {"a": 'he said "no" twice', "b": 2}),
        ("{a: 1, b: [1, 2,],}", {"a": 1, "b": [1, 2]}),
        ("{'a': True, 'b': None, 'c': False}", {"a": True, "b": None, "c": False}),
    ],
)
def test_commas_quotes_and_literals_are_mended(text, value):
    assert mend(text) == value


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"t": NaN,}', "not_finite"),
        ("{'t': -Infinity}", "not_finite"),
        ("{'t': 1e999}", "not_finite"),
        ("{'t': 300 K}", "broken_json"),
        ("{'t': 300,5}", "broken_json"),
        ("{'t': 30 0}", "broken_json"),
        ("{'t': 300-400}", "broken_json"),
        ("{'t': 1, 't': 2}", "duplicate_keys"),
    ],
)
def test_a_number_or_key_is_never_guessed_at(text, fault):
    with pytest.raises(Unusable) as caught:
        mend(text)
    assert caught.value.fault == fault


def test_strings_are_told_from_what_stands_outside():
    assert outside_strings("{'it's': \"a \\\" b\", c: 1}") == '{"": "", c: 1}'


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=8), values, min_size=1, max_size=5)


@settings(deadline=None)
@given(objects, st.sampled_from(["{}", "```json\n{}\n```", "Here it is: {}\nDone.", "<think>hm</think>{}"]))
def test_any_object_survives_any_wrapping(value, wrapping):
    text = wrapping.replace("{}", json.dumps(value, ensure_ascii=False))
    assert first(text).value == value


@settings(deadline=None)
@given(objects)
def test_an_object_in_valid_json_is_found_whole(value):
    text = json.dumps(value)
    assert list(objects_in(f"so {text} end")) == [(3, 3 + len(text))]


@settings(deadline=None)
@given(objects, st.data())
def test_a_cut_reply_never_gives_an_object_that_was_not_written(value, data):
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert all(isinstance(item, Unusable) for item in candidates(said(cut, finish="length")))


@settings(deadline=None)
@given(objects, st.data())
def test_a_damaged_reply_never_gives_a_number_that_is_not_finite(value, data):
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    damaged = (
        text[:at] + data.draw(st.sampled_from(["NaN", "Infinity", "1e999", "'", ",", "}", "-"])) + text[at:]
    )
    for item in candidates(said(damaged)):
        assert isinstance(item, Unusable) or all(math.isfinite(n) for n in numbers_in(item.value))


def numbers_in(value):
    if isinstance(value, dict):
        return [n for part in value.values() for n in numbers_in(part)]
    if isinstance(value, list):
        return [n for part in value for n in numbers_in(part)]
    return [value] if isinstance(value, int | float) else []


DEEP = 5_000


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * DEEP + "1" + "}" * DEEP,
        "[" * DEEP + "]" * DEEP,
        "{'a':" * 500 + "1" + "}" * 500,
        json.dumps('{"a":' * DEEP + "1" + "}" * DEEP),
        "```json\n" + '{"a":' * DEEP + "1" + "}" * DEEP + "\n```",
        '{"action": {"tool": "x", "arguments": ' + '{"a":' * 200 + "1" + "}" * 202,
        "{" * 100_000,
        '{"a":[' * 20_000,
    ],
    ids=["object", "list", "sloppy", "in a string", "fenced", "inside a turn", "never closed", "unfinished"],
)
def test_what_is_nested_without_end_is_a_fault_of_the_answer_and_costs_no_time(text):
    found = list(candidates(said(text)))
    assert found[0].fault == "too_deep"


def test_what_is_deep_and_still_read():
    assert first('{"a":' * 30 + "1" + "}" * 30).value["a"]["a"]
