"""What is left of a budget while a run is driven: exact at every moment, and cheap to ask."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.core.ports import ModelUsage
from agents.models import Event
from agents.services import change_budget
from tests.support import do, journal_of, lose, make_run, take

pytestmark = pytest.mark.django_db
CALL = ModelUsage(role="reason", model="m", prompt_tokens=100)


def begin(journal, round):
    do(journal.emit, "round.started", {}, round=round, key=f"{round}/started")


def ask(journal):
    return do(journal.budget), do(journal.spent)


def test_asking_what_is_left_reads_one_number_of_one_row():
    journal = journal_of(take(make_run()))
    do(journal.store)
    begin(journal, 1)
    ask(journal)
    for round in range(1, 4):
        begin(journal, round)
        do(journal.charge, CALL, round=round)
        with CaptureQueriesContext(connection) as asked:
            assert ask(journal)[1].calls == round
        assert len(asked) == 1
        do(journal.store)


def test_limits_that_a_person_changes_hold_from_the_next_question_on():
    run = make_run()
    journal = journal_of(take(run))
    do(journal.store)
    for limit in (12, 9, 30):
        ask(journal)
        change_budget(run.pk, by="ana", experiments=limit)
        assert ask(journal)[0].experiments == limit
        do(journal.store)
        assert ask(journal)[0].experiments == limit


def test_a_call_whose_storing_went_unanswered_is_charged_once():
    """The commit went through and its answer was lost, as on a connection that broke: the call has a key."""
    run = make_run()
    journal = journal_of(take(run))
    do(journal.charge, CALL, round=1)
    kept = list(journal._lease.pending)
    do(journal.store)
    journal._lease.pending[:0] = kept
    journal._lease.seen = None
    assert do(journal.spent).calls == 1
    do(journal.store)
    assert Event.objects.filter(run=run, kind="model.called").count() == 1


def test_every_call_is_charged_also_those_that_are_made_again_by_the_next_worker():
    run = make_run()
    for worker in ("w1", "w2"):
        journal = journal_of(take(run, worker))
        for _ in range(2):
            do(journal.charge, CALL, round=1)
        do(journal.store)
        lose(run)
    assert Event.objects.filter(run=run, kind="model.called").count() == 4
    assert do(journal.spent).tokens == 400
