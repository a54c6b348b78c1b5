"""What the study takes from a digest that somebody corrects."""

import io

import pytest

from agents.core.errors import BadInput
from agents.services import (
    add_document,
    change_study,
    create_study,
    digest_next,
    edit_item,
    missing_for_start,
)

pytestmark = pytest.mark.django_db
PROTOCOL = """# Protocol

## Goal

The goal is to maximise the yield of the reaction.

## Limits

The temperature must not exceed 60 °C.

## Factors

| Factor | Unit | Low | High |
|---|---|---|---|
| temperature | °C | 20 | 80 |
| time | min | 5 | 60 |
"""


@pytest.fixture
def study():
    study = create_study(title="T")
    add_document(study, file=io.BytesIO(PROTOCOL.encode()), name="protocol.md")
    digest_next()
    study.refresh_from_db()
    return study


def item_of(study, kind, text=""):
    return (
        study.digest_items.select_related("study", "document").filter(kind=kind, text__contains=text).first()
    )


def limit_of(study):
    study.refresh_from_db()
    [row] = study.constraints
    return row["text"], row["predicate"] and row["predicate"]["value"]


def test_the_limit_that_is_checked_is_the_one_that_is_written(study):
    text = "The temperature must not exceed 50 °C."
    item = edit_item(item_of(study, "constraint"), text=text)
    assert limit_of(study) == (text, 50)
    item = edit_item(item, text="The temperature must not exceed 60 °C.")
    assert limit_of(study) == ("The temperature must not exceed 60 °C.", 60)


def test_words_without_a_limit_are_no_longer_checked_and_say_so(study):
    item = edit_item(item_of(study, "constraint"), text="Keep it cool.")
    assert limit_of(study) == ("Keep it cool.", None)
    assert "asks for a review" in item.note


def test_the_other_limit_of_a_sentence_stays():
    study = create_study(title="T")
    limits = PROTOCOL.replace("must not exceed 60 °C", "must be kept between 30 and 60 °C")
    add_document(study, file=io.BytesIO(limits.encode()), name="protocol.md")
    digest_next()
    study.refresh_from_db()
    assert sorted(row["predicate"]["value"] for row in study.constraints) == [30, 60]
    edit_item(item_of(study, "constraint"), status="dropped")
    assert limit_of(study)[1] in (30, 60)


def test_a_factor_that_is_left_out_leaves_the_space_and_may_come_back(study):
    item = item_of(study, "parameter", "time")
    edit_item(item, status="dropped")
    study.refresh_from_db()
    assert [row["name"] for row in study.space["parameters"]] == ["temperature"]
    edit_item(item_of(study, "parameter", "time"), status="kept")
    study.refresh_from_db()
    assert [row["name"] for row in study.space["parameters"]] == ["temperature", "time"]


def test_nothing_starts_while_something_typed_could_not_be_saved(study):
    change_study(study, objectives=[{"name": "yield", "unit": "%"}])
    assert missing_for_start(study) == []
    change_study(study, draft={"space": "p-0-low=9"})
    assert "could not be saved" in missing_for_start(study)[0]


def test_an_item_is_not_emptied(study):
    with pytest.raises(BadInput, match="would be empty"):
        edit_item(item_of(study, "constraint"), text="  ")
