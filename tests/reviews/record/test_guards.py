"""What was decided is not changed by the application; it goes with its study only."""

import pytest
from django.apps import apps
from django.db import DatabaseError, transaction

from reviews.models import Decision, Opinion, RecordEntry, RecordHead
from reviews.record import guards
from reviews.record.adopting import adopt
from reviews.record.telling import entries_told
from reviews.record.verifying import read_record
from reviews.services import decide
from tests.doctor.conftest import examine

pytestmark = pytest.mark.django_db


@pytest.fixture
def guarded(kept):
    guards.put_up()
    return kept


@pytest.mark.parametrize("model", [Decision, Opinion, RecordEntry])
def test_a_row_is_not_changed(guarded, model):
    assert guards.missing() == []
    row = model.objects.order_by("pk").first()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        model.objects.filter(pk=row.pk).update(at=None)
    name = "mac" if model is RecordEntry else "note"
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        model.objects.filter(pk=row.pk).update(**{name: "colder"})


def test_an_account_and_a_study_can_be_deleted_all_the_same(guarded):
    guarded.desk.ana.delete()
    assert not Opinion.objects.filter(user=None).exclude(by="ana").exists()
    guarded.told.study.delete()
    guarded.desk.study.delete()
    assert (Decision.objects.count(), RecordEntry.objects.count(), RecordHead.objects.count()) == (0, 0, 0)


def test_guards_that_are_gone_are_told(kept):
    remarks = examine("--only", "record")
    assert [remark["level"] for remark in remarks] == ["warn"] * len(guards.GUARDED)
    assert "manage.py migrate" in remarks[0]["todo"]


def test_what_was_decided_before_there_was_a_record_is_taken_in_and_marked(kept):
    RecordEntry.objects.all().delete()
    RecordHead.objects.all().delete()
    assert any("does not know" in fault.what for fault in read_record(kept.told.pk).faults)
    assert adopt(apps) == 9
    assert read_record(kept.told.pk).is_sound
    assert read_record(kept.shared.pk).is_sound
    assert RecordEntry.objects.filter(is_adopted=True).count() == 9


def test_a_decision_after_that_follows_in_the_chain(kept, settings):
    entry = RecordEntry.objects.get(run=kept.told, seq=3)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "changed"
    assert read_record(kept.told.pk).is_sound
    settings.SECRET_KEY_FALLBACKS = []
    (first, *_) = read_record(kept.told.pk).faults
    assert f"key {entry.key_id}, which this site does not have" in first.what


def test_nothing_of_an_opinion_is_told_while_the_other_answers_blind(desk):
    gate = desk.gate(then="second")
    decide(
        gate=gate, user=desk.ana, verdict="veto", shown_digest=gate.digest, reason_code="unsafe", note="hot"
    )
    (row,) = entries_told(gate.run)
    assert (row["kind"], row["verdict"], row["note"], row["by"]) == ("opinion", "", "", "–")
