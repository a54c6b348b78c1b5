"""Single rows without the query compiler are what the ORM would read and write."""

import datetime

import pytest

from agents.models import Effect, Event, Experiment, Gate, Run
from agents.store.rows import delete_all, insert, insert_all, read, read_all, read_values, save, update
from tests.support import make_run, make_study, open_gate

pytestmark = pytest.mark.django_db
AT = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.UTC)


def event(run: Run, seq: int = 2, **fields) -> Event:
    given = {
        "kind": "run.paused",
        "payload": {"by": "安娜 \" '", "n": [1, 2.5, None, True]},
        "at": AT,
        "chain": "c",
    }
    return Event(run_id=run.pk, seq=seq, **{**given, **fields})


def values(row, model) -> dict:
    return {field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields}


@pytest.mark.parametrize("model", [Run, Gate])
def test_a_row_is_read_as_the_orm_reads_it(model):
    open_gate(make_run())
    row = model.objects.get()
    fields = tuple(field.attname for field in model._meta.concrete_fields)
    assert values(read(model, fields, id=row.pk), model) == values(row, model)


def test_fields_may_be_named_in_any_order_and_the_others_are_loaded_when_asked_for():
    run = make_run()
    found = read(Run, ("seq", "policy", "id", "epoch"), id=run.pk)
    assert (found.seq, found.policy, found.pk, found.epoch) == (1, "every_step", run.pk, 0)
    assert found.protocol["title"] == "Toy"


def test_a_row_that_is_not_there_is_none():
    assert read(Run, ("id",), id="00000000-0000-0000-0000-000000000000") is None


def test_a_row_is_stored_as_the_orm_stores_it():
    run = make_run()
    assert insert(event(run))
    event(run, 3).save()
    one, other = (values(Event.objects.get(run=run, seq=seq), Event) for seq in (2, 3))
    assert {**one, "id": 0, "seq": 0} == {**other, "id": 0, "seq": 0}


def test_a_row_that_exists_by_its_rule_is_left_alone():
    run = make_run()
    assert insert(event(run, key="k"), unless=("run_id", "key"))
    assert not insert(event(run, 9, key="k"), unless=("run_id", "key"))
    assert list(Event.objects.filter(run=run, key="k").values_list("seq", flat=True)) == [2]


def test_many_rows_are_stored_and_the_new_ones_counted():
    run = make_run()
    fields = ("run_id", "seq", "kind", "payload", "at", "chain", "key")
    rows = [(run.pk, seq, "run.paused", {"by": "ana"}, AT, "c", f"k{seq}") for seq in (2, 3, 4)]
    assert insert_all(Event, fields, rows[:1], unless=("run_id", "key")) == 1
    assert insert_all(Event, fields, rows, unless=("run_id", "key")) == 2
    assert insert_all(Event, fields, []) == 0


def test_the_time_of_its_making_is_set():
    study = make_study()
    row = Experiment(study=study, key="k", conditions_digest="d", planned={"dose": 1})
    insert(row)
    assert Experiment.objects.get().created_at == row.created_at is not None


def test_changes_are_stored_where_they_belong():
    run, other = make_run(), make_run()
    insert(Effect(run_id=run.pk, key="k", effect_class="blind", epoch=1, started_at=AT))
    changes = {"status": "done", "result": {"x": 1}, "finished_at": AT}
    assert update(Effect, changes, run_id=other.pk, key="k", attempt=1) == 0
    assert update(Effect, changes, run_id=run.pk, key="k", attempt=1) == 1
    effect = Effect.objects.get()
    assert (effect.status, effect.result, effect.finished_at) == ("done", {"x": 1}, AT)


def test_only_the_named_fields_are_saved():
    run = make_run()
    run.round, run.error, run.not_before = 7, "never stored", None
    save(run, ("round", "not_before"))
    run.refresh_from_db()
    assert (run.round, run.error) == (7, "")


def test_values_are_read_in_the_order_asked_for_without_a_row():
    run = make_run()
    assert list(read_values(Run, ("policy", "seq", "id"), id=run.pk)) == ["every_step", 1, run.pk]
    assert read_values(Run, ("seq",), id="00000000-0000-0000-0000-000000000000") is None


def test_all_rows_are_read_oldest_first_and_those_named_are_deleted():
    run, other = make_run(), make_run()
    for seq in (4, 2, 3):
        insert(event(run, seq, payload={"by": str(seq)}))
    insert(event(other, 5))
    found = read_all(Event, ("seq", "payload", "id"), run_id=run.pk)
    assert [row[0] for row in found] == [1, 4, 2, 3]
    assert found[1][1] == {"by": "4"}
    delete_all(Event, [4, 5], by="seq", run_id=run.pk)
    delete_all(Event, [])
    assert sorted(row[0] for row in read_all(Event, ("seq",), run_id=run.pk)) == [1, 2, 3]
    assert Event.objects.filter(run=other, seq=5).exists()
