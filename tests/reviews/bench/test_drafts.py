"""A draft that several pages type into: nothing typed is lost, nothing untouched is written over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import BadInput
from reviews.bench import drafts
from reviews.models import BenchDraft

EMPTY = {"value": "", "note": ""}


def test_two_tabs_that_type_in_different_fields_both_keep_theirs():
    first, _ = drafts.merged({}, EMPTY, {"value": "71", "note": ""})
    both, replaced = drafts.merged(first, EMPTY, {"value": "", "note": "cloudy"})
    assert (both, replaced) == ({"value": "71", "note": "cloudy"}, {})


def test_the_same_field_typed_twice_keeps_the_later_and_says_what_it_replaced():
    fields, replaced = drafts.merged({"value": "71"}, EMPTY, {"value": "72"})
    assert (fields, replaced) == ({"value": "72"}, {"value": "71"})


def test_emptying_a_field_is_typing_too():
    fields, replaced = drafts.merged({"value": "71"}, {"value": "71"}, {"value": ""})
    assert (fields, replaced) == ({"value": ""}, {})


def test_what_was_typed_elsewhere_is_told_before_filing():
    assert drafts.newer({"value": "71"}, EMPTY, {"value": "", "note": "x"}) == {"value": "71"}
    assert drafts.newer({"value": "71"}, EMPTY, {"value": "72"}) == {}


texts = st.dictionaries(st.sampled_from("abcd"), st.text(alphabet="xy", max_size=2))


@given(texts, texts, texts)
def test_every_text_survives_in_the_draft_or_among_the_replaced(stored, base, posted):
    fields, replaced = drafts.merged(stored, base, posted)
    for name, value in posted.items():
        if not drafts.same(value, base.get(name, "")):
            assert fields[name] == value
    for name, value in stored.items():
        is_known = drafts.same(value, base.get(name, "")) or not value.strip()
        assert is_known or drafts.same(fields[name], value) or replaced.get(name) == value


@pytest.mark.parametrize("text", ["", "{", "[1]", "null"])
def test_a_base_that_cannot_be_read_is_none(text):
    assert drafts.read_base(text) == {}


def test_who_typed_what_was_replaced_is_kept(bench):
    drafts.save(bench.cold, by="ana", posted={"res.note": "blue"}, base={"res.note": ""})
    _, elsewhere = drafts.save(bench.cold, by="olga", posted={"res.note": "green"}, base={"res.note": ""})
    draft = BenchDraft.objects.get(gate=bench.cold)
    assert (draft.fields, draft.updated_by, elsewhere) == ({"res.note": "green"}, "olga", {})
    (lost,) = draft.replaced
    assert (lost["field"], lost["value"], lost["by"]) == ("res.note", "blue", "ana")


def test_a_draft_has_a_limit(bench):
    with pytest.raises(BadInput, match="attach a file instead"):
        drafts.save(bench.cold, by="ana", posted={"res.note": "x" * 100_001}, base={})
    assert drafts.draft_fields(bench.cold) == {}
