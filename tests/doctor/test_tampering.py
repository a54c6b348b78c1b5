"""One changed byte in a log, a decision, a result or a file is found and named."""

import json

import pytest
from django.db import connection
from django.db.models import F

from agents.models import Artifact, Effect, Event, Experiment, Finding, Gate, Run
from reviews.models import Decision
from reviews.record import guards
from tests.doctor.conftest import examine
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def past_the_guards(db) -> None:
    """Whoever has the database can take its triggers away."""
    guards.take_down()


def replace(model, column: str, old: str, new: str, **where) -> None:
    """Change bytes of a stored column, past everything that Daybook guards."""
    row = model.objects.get(**where)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        key = row.pk.hex if hasattr(row.pk, "hex") and connection.vendor == "sqlite" else row.pk
        cursor.execute(f"SELECT CAST({column} AS TEXT) FROM {table} WHERE id = %s", [key])
        text = cursor.fetchone()[0]
        if old not in text:  # SQLite keeps what a worker writes without spaces
            old, new = old.replace(": ", ":"), new.replace(": ", ":")
        assert old in text
        cursor.execute(
            f"UPDATE {table} SET {column} = REPLACE(CAST({column} AS TEXT), %s, %s) WHERE id = %s",
            [old, new, key],
        )
        assert cursor.rowcount == 1


def test_a_sound_run_is_not_accused(run):
    assert examine("--only", "log", "--only", "projection", "--only", "effects") == []


def test_a_byte_of_an_event_is_found_and_the_event_named(run):
    event = Event.objects.get(run=run, kind="experiment.filed", round=2)
    replace(Event, "payload", '"value": 0.2', '"value": 0.9', pk=event.pk)
    (remark,) = examine("--only", "log")
    assert remark["what"].startswith(f"Event {event.seq} (experiment.filed) is not what was written")
    assert str(run.pk) in remark["where"]
    assert remark["todo"]


def test_the_first_of_several_altered_events_is_named(run):
    for seq in (4, 7):
        Event.objects.filter(run=run, seq=seq).update(round=99)
    (remark,) = examine("--only", "log")
    assert remark["what"].startswith("Event 4 ")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("payload = '{'", "Event 5 (experiment.filed) is not what was written"),
        ("payload = CAST(x'7b22ff227d' AS TEXT)", "Event 5 cannot be read"),
        ("at = 'yesterday'", "Event 5 cannot be read"),
        ("at = '2026-13-45'", "Event 5 cannot be read"),
    ],
)
def test_an_event_that_holds_no_json_or_no_time_any_more_is_named(run, change, named):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL refuses such values itself")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        cursor.execute(f"UPDATE agents_event SET {change} WHERE run_id = %s AND seq = 5", [run.pk.hex])
        cursor.execute("PRAGMA ignore_check_constraints = OFF")
    (remark,) = examine("--only", "log", "--only", "projection")
    assert remark["what"].startswith(named)


@pytest.mark.parametrize(("model", "column"), [(Gate, "answer"), (Gate, "request"), (Decision, "answer")])
def test_a_gate_or_decision_that_is_no_json_any_more_is_named(model, column):
    stories.whole_run()
    where = {"review__gate__key": "2/review"} if model is Decision else {"key": "2/review"}
    pk = model.objects.get(**where).pk
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL refuses such values itself")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        sql = f"UPDATE {model._meta.db_table} SET {column} = '{{' WHERE id = %s"
        cursor.execute(sql, [getattr(pk, "hex", pk)])
        cursor.execute("PRAGMA ignore_check_constraints = OFF")
    (remark,) = examine("--only", "decisions")
    assert remark["what"].endswith(f"{column} cannot be read.")
    assert "gate 2/review" in remark["where"]


def test_an_event_that_was_cut_off_is_found_by_the_runs_own_count(run):
    Event.objects.filter(run=run, seq=run.seq).delete()
    (remark,) = examine("--only", "log")
    assert remark["what"].startswith(f"The run counts {run.seq} events; its log ends with {run.seq - 1}.")


def test_a_damaged_log_is_never_repaired_and_no_row_is_made_from_it(run):
    Event.objects.filter(run=run, kind="finding.changed").update(payload={"finding": {}, "reason": ""})
    Run.objects.filter(pk=run.pk).update(state={})
    remarks = examine("--repair", "--only", "log", "--only", "projection")
    assert [remark["mended"] for remark in remarks] == [""]
    assert Run.objects.get(pk=run.pk).state == {}


@pytest.mark.parametrize(
    ("column", "old", "new", "named"),
    [
        ("note", "hotter", "colder", "The decision says another note than the gate."),
        ("by", "ada", "eve", "The decision says another by than the gate."),
        ("reason_code", "", "x", None),
        ("answer", "100", "105", "The decision's answer says another action than the gate."),
        ("proposed", "90", "95", "The decision says another proposed than the gate."),
    ],
)
def test_a_byte_of_a_decision_is_found_and_named(column, old, new, named):
    stories.whole_run()
    if named is None:
        Decision.objects.filter(verdict="edit").update(reason_code=new)
        named = "The decision says another reason_code than the gate."
    else:
        pk = Decision.objects.get(verdict="edit").pk
        replace(Decision, f'"{column}"', old, new, pk=pk)
    (remark,) = examine("--only", "decisions")
    assert remark["what"] == named
    assert "gate 2/review" in remark["where"]


def test_an_answer_changed_on_gate_and_decision_alike_still_differs_from_the_log():
    run = stories.whole_run()
    for model, where in ((Gate, {"key": "2/review"}), (Decision, {"verdict": "edit"})):
        pk = model.objects.get(**where).pk
        replace(model, "answer", '"temperature": 100', '"temperature": 109', pk=pk)
    seq = Event.objects.get(run=run, key="2/review/decided").seq
    (remark,) = examine("--only", "decisions")
    assert remark["what"] == f"The gate's answer says another executed than event {seq}."


def test_a_proposal_changed_after_it_was_approved_is_found():
    run = stories.whole_run()
    replace(Gate, "request", '"temperature": 90', '"temperature": 95', run=run, key="1/review")
    whats = [remark["what"] for remark in examine("--only", "decisions")]
    assert whats[0] == "What the gate asks is not what its digest was made of."


def test_a_decision_that_vanished_is_found():
    stories.whole_run()
    Decision.objects.filter(verdict="veto").delete()
    (remark,) = examine("--only", "decisions")
    assert remark["what"] == "It was answered by a person, and the decision's row is gone."


def test_a_result_that_would_be_replayed_must_be_the_one_that_was_logged(run):
    Effect.objects.filter(run=run, key="2/act/weigh").update(result={"mass": 0.7})
    (remark,) = examine("--only", "effects")
    assert remark["what"].startswith("Its result is not the one that event ")
    assert "2/act/weigh attempt 1" in remark["where"]


@pytest.mark.parametrize("damage", ["byte", "gone"])
def test_a_file_must_be_there_and_hold_what_was_stored(db, damage):
    from django.core.files.storage import default_storage

    from agents.store.artifacts import store_bytes

    row = store_bytes(b"base,yield\nKOAc,12\n")
    if damage == "gone":
        default_storage.delete(row.path)
    else:
        with open(default_storage.path(row.path), "r+b") as file:
            file.write(b"B")
    (remark,) = examine("--only", "artifacts")
    assert remark["what"].startswith(
        "The file is gone." if damage == "gone" else "The file is not what was stored"
    )
    assert row.content_hash in remark["where"]
    default_storage.delete(row.path)
    Artifact.objects.all().delete()


@pytest.mark.parametrize("model", [Experiment, Finding])
def test_a_row_that_shows_more_than_its_log_is_named_and_left_alone(run, model):
    row = model.objects.filter(run=run).first()
    row.pk = "00000000-0000-0000-0000-000000000001"
    changes = {"key": "forged"} if model is Experiment else {"number": 99}
    for name, value in changes.items():
        setattr(row, name, value)
    row.save(force_insert=True)
    (remark,) = examine("--repair", "--only", "projection")
    assert "00000000-0000-0000-0000-000000000001 is in no event of the log" in remark["what"]
    assert remark["mended"] == ""


def test_json_holds_the_same_words_as_the_page(run):
    Event.objects.filter(run=run, seq=3).update(at=F("at"))
    assert json.dumps(examine("--only", "log")) == "[]"
