"""What came of an effect stands once, in the log; the ledger's row finds it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.core.errors import OutcomeUnknown
from agents.core.tools import EffectClass
from agents.models import Effect
from agents.store.results import result_of, results_of
from tests.support import do, journal_of, lose, make_run, take

pytestmark = pytest.mark.django_db
LOCAL, BLIND = EffectClass.LOCAL, EffectClass.BLIND


def perform(journal, key, result, *, effect=BLIND, attempt=1):
    async def call():
        if result is None:
            raise KeyboardInterrupt
        return result

    return do(journal.once, key, call, effect=effect, request={}, attempt=attempt)


@pytest.fixture
def run():
    return make_run()


@pytest.mark.parametrize("effect", [LOCAL, BLIND])
def test_a_result_is_stored_once_and_returned_to_the_next_worker(run, effect):
    perform(journal_of(take(run)), "1/act/weigh", {"mass": 0.5}, effect=effect)
    lose(run)
    journal = journal_of(take(run, "w2"))
    assert perform(journal, "1/act/weigh", {"mass": 0.7}, effect=effect) == {
        "mass": 0.7 if effect is LOCAL else 0.5
    }
    do(journal.store)
    row = Effect.objects.get(run=run)
    assert (row.status, row.result) == ("done", None)
    assert result_of(row) == {"mass": 0.7 if effect is LOCAL else 0.5}


def test_what_a_person_entered_is_found_like_any_other_result(run):
    with pytest.raises(KeyboardInterrupt):
        perform(journal_of(take(run)), "1/act/weigh", None)
    lose(run)
    journal = journal_of(take(run, "w2"))
    with pytest.raises(OutcomeUnknown):
        perform(journal, "1/act/weigh", {"mass": 0.1})
    do(journal.settle, "1/act/weigh", 1, {"mass": 0.7})
    assert perform(journal, "1/act/weigh", {"mass": 0.1}) == {"mass": 0.7}
    assert result_of(Effect.objects.get(run=run)) == {"mass": 0.7}


def test_a_row_of_an_older_version_keeps_its_own(run):
    journal = journal_of(take(run))
    perform(journal, "1/act/weigh", {"mass": 0.5})
    Effect.objects.filter(run=run).update(result={"mass": 0.5, "old": True})
    assert perform(journal, "1/act/weigh", {}) == {"mass": 0.5, "old": True}


def test_what_has_not_ended_has_no_result(run):
    with pytest.raises(KeyboardInterrupt):
        perform(journal_of(take(run)), "1/act/weigh", None)
    assert result_of(Effect.objects.get(run=run)) == {}


def test_any_number_of_results_is_one_query_and_runs_are_told_apart(run):
    other = make_run(run.study)
    for one, mass in ((run, 1), (other, 2)):
        journal = journal_of(take(one))
        for round in range(1, 4):
            perform(journal, f"{round}/act/weigh", {"mass": mass * round})
    rows = list(Effect.objects.order_by("pk"))
    with CaptureQueriesContext(connection) as asked:
        found = results_of(rows)
    assert len(asked) == 1
    assert [found[row.pk]["mass"] for row in rows] == [1, 2, 3, 2, 4, 6]
