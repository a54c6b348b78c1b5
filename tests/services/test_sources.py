"""Documents and tables on their way into a study."""

import io

import pytest
from django.test import override_settings

from agents.core.errors import BadInput, Conflict
from agents.models import Experiment
from agents.services import (
    add_dataset,
    add_document,
    adopt_digest,
    change_study,
    create_study,
    digest_next,
    edit_item,
)

pytestmark = pytest.mark.django_db

PROTOCOL = b"""# Protocol

## Goal

The goal is to maximise the yield of the reaction.

## Limits

The temperature must be at most 80 \xc2\xb0C.

## Factors

| Factor | Unit | Low | High |
|---|---|---|---|
| temperature | \xc2\xb0C | 20 | 80 |
| time | min | 5 | 60 |
"""


@pytest.fixture
def study():
    return create_study(title="T")


def test_a_document_is_read_and_fills_what_the_study_has_not_stated(study):
    document = add_document(study, file=io.BytesIO(PROTOCOL), name="protocol.md")
    assert digest_next() is True

    document.refresh_from_db()
    study.refresh_from_db()
    assert (document.status, document.how, document.pages) == ("ready", "extractive", document.pages_read)
    assert "maximise the yield" in study.goal
    assert [row["name"] for row in study.space["parameters"]] == ["temperature", "time"]
    assert study.constraints[0]["predicate"]["value"] == 80
    assert study.constraints[0]["source"]["verified"] is True
    assert document.passages.count() >= 1


def test_a_stated_goal_is_left_alone_by_a_new_document(study):
    study.goal = "My own goal."
    study.save()
    add_document(study, file=io.BytesIO(PROTOCOL), name="protocol.md")
    digest_next()

    study.refresh_from_db()
    assert study.goal == "My own goal."


def test_a_dropped_item_is_no_constraint_any_more(study):
    add_document(study, file=io.BytesIO(PROTOCOL), name="protocol.md")
    digest_next()
    for item in study.digest_items.filter(kind="constraint"):
        edit_item(item, status="dropped")
    study.refresh_from_db()

    assert adopt_digest(study).constraints == []


def test_an_edited_item_keeps_its_original_beside_it(study):
    add_document(study, file=io.BytesIO(PROTOCOL), name="protocol.md")
    digest_next()
    item = study.digest_items.filter(kind="goal").first()
    before = item.text

    edited = edit_item(item, text="Another goal.")

    assert (edited.status, edited.text, edited.original["text"]) == ("edited", "Another goal.", before)


def test_the_same_file_twice_is_a_conflict_that_names_the_first(study):
    add_document(study, file=io.BytesIO(PROTOCOL), name="one.md")

    with pytest.raises(Conflict, match=r"one\.md"):
        add_document(study, file=io.BytesIO(PROTOCOL), name="two.md")


@override_settings(UPLOAD_MAX_BYTES=10)
def test_a_file_above_the_limit_is_refused_at_the_door(study):
    with pytest.raises(BadInput, match="larger than"):
        add_document(study, file=io.BytesIO(PROTOCOL), name="protocol.md")


def test_an_empty_file_is_refused(study):
    with pytest.raises(BadInput, match="is empty"):
        add_document(study, file=io.BytesIO(b""), name="protocol.md")


def test_a_document_that_cannot_be_read_fails_with_its_reason(study):
    document = add_document(study, file=io.BytesIO(b"%PDF-1.7 and then nothing"), name="paper.pdf")
    digest_next()

    document.refresh_from_db()
    assert document.status == "failed"
    assert "paper.pdf" in document.error


def test_past_experiments_enter_the_ledger_once_however_often_they_are_imported(study):
    study.space = {"parameters": [{"name": "t", "kind": "continuous", "low": 0, "high": 100}]}
    study.objectives = [{"name": "y", "unit": "%"}]
    study.save()
    dataset = add_dataset(study, file=io.BytesIO(b"t,y\n10,1.5\n20,2.5\n"), name="past.csv", role="past")
    from agents.services import import_past

    import_past(dataset)

    rows = Experiment.objects.filter(study=study).order_by("position")
    assert [(row.planned, row.measurements[0]["value"]) for row in rows] == [
        ({"t": 10}, 1.5),
        ({"t": 20}, 2.5),
    ]


def test_past_experiments_wait_for_objectives_and_are_then_imported_by_themselves(study):
    change_study(study, space={"parameters": [{"name": "t", "kind": "continuous", "low": 0, "high": 100}]})
    dataset = add_dataset(study, file=io.BytesIO(b"t,y\n10,1.5\n20,2.5\n"), name="past.csv", role="past")
    assert "has no objective yet" in dataset.problems[0]["message"]
    assert not Experiment.objects.filter(study=study).exists()

    change_study(study, objectives=[{"name": "y", "unit": "%"}])

    dataset.refresh_from_db()
    assert dataset.problems == []
    assert Experiment.objects.filter(study=study, origin="past").count() == 2


def test_a_warning_about_a_document_is_said_once(study):
    document = add_document(
        study, file=io.BytesIO("Température: 5 °C. Le goût.".encode("latin-1")), name="a.txt"
    )
    digest_next()

    document.refresh_from_db()
    assert len(document.warnings) == len(set(document.warnings)) > 0
