"""The log: dense, chained, idempotent by key, and written by whoever holds the lease."""

import datetime

import pytest
from django.db import transaction
from django.utils import timezone

from agents.core.errors import Fenced, NotFound
from agents.models import Event, Run
from agents.store.audit import folded_state, log_problems
from agents.store.log import append, lock_run
from tests.support import do, journal_of, lose, make_run, take

pytestmark = pytest.mark.django_db


def write(run: Run, kind: str = "guidance.given", *, key: str | None = None, **payload) -> int:
    with transaction.atomic():
        return append(lock_run(run.pk), kind, payload or {"text": "heat it", "by": "ana"}, key=key, round=1)


def test_numbers_are_dense_and_chained():
    run = make_run()
    assert [write(run) for _ in range(3)] == [2, 3, 4]
    assert log_problems(run.pk) == []


def test_a_key_is_written_once():
    run = make_run()
    assert write(run, key="k") == write(run, key="k") == 2
    assert Event.objects.filter(run=run).count() == 2


def test_an_event_that_is_rolled_back_leaves_no_gap():
    run = make_run()
    with transaction.atomic():
        append(lock_run(run.pk), "guidance.given", {"text": "lost", "by": "ana"})
        transaction.set_rollback(True)
    assert write(run) == 2
    assert log_problems(run.pk) == []


def test_an_event_outside_a_transaction_is_refused(transactional_db):
    run = make_run()
    with pytest.raises(AssertionError, match="one transaction"):
        append(run, "guidance.given", {"text": "alone", "by": "ana"})


@pytest.mark.parametrize(
    ("kind", "payload", "message"),
    [
        ("no.such", {}, "unknown event kind"),
        ("guidance.given", {"text": "who?"}, "lacks by"),
        ("guidance.given", {"text": float("nan"), "by": "ana"}, "JSON compliant"),
    ],
)
def test_what_is_no_event_is_refused(kind, payload, message):
    run = make_run()
    with pytest.raises(ValueError, match=message), transaction.atomic():
        append(lock_run(run.pk), kind, payload)


def test_text_is_cleaned_so_that_both_databases_keep_it():
    run = make_run()
    write(run, text="a\x00b\ud800c", by="ana")
    assert Event.objects.get(run=run, seq=2).payload["text"] == "ab�c"
    assert log_problems(run.pk) == []


@pytest.mark.parametrize("number", [1e16, 1e23, -0.0, 1e-7, 5e-324, 1.7976931348623157e308, 2**63])
def test_the_chain_holds_for_numbers_that_databases_spell_differently(number):
    run = make_run()
    write(run, "guidance.given", text=number, by="ana")
    assert log_problems(run.pk) == []


def test_a_clock_that_runs_backwards_does_not_reorder_the_log(monkeypatch):
    run = make_run()
    write(run)
    earlier = timezone.now() - datetime.timedelta(days=30)
    monkeypatch.setattr(timezone, "now", lambda: earlier)
    write(run)
    times = list(Event.objects.filter(run=run).order_by("seq").values_list("at", flat=True))
    assert times == sorted(times)
    assert log_problems(run.pk) == []


def test_the_row_is_the_fold_of_the_log():
    run = make_run()
    write(run, "experiment.filed", experiment={}, best={"value": 5})
    run.refresh_from_db()
    assert run.state == folded_state(run.pk)
    assert run.state["best"] == {"value": 5}
    assert run.spent == {"experiments": 1}


def test_a_stale_epoch_writes_nothing():
    run = make_run()
    stale = journal_of(take(run))
    lose(run)
    fresh = journal_of(take(run, "w2"))
    before = Event.objects.filter(run=run).count()
    with pytest.raises(Fenced, match="driven by another worker"):
        do(stale.settle, "1/act/weigh", 1, None)
    assert Event.objects.filter(run=run).count() == before
    do(fresh.emit, "round.started", {}, round=1)
    do(fresh.think, "on")
    assert Event.objects.filter(run=run).count() == before + 1


def test_a_run_that_does_not_exist_is_named():
    with pytest.raises(NotFound, match="there is no run"), transaction.atomic():
        lock_run("00000000-0000-0000-0000-000000000000")
