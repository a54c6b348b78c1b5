"""Every way to tamper with a log is found, and a sound log is not accused."""

import pytest
from django.db import transaction
from django.db.models import F

from agents.models import Event, Run
from agents.store.audit import log_problems
from agents.store.log import append, lock_run
from tests.support import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    made = make_run()
    for number in range(1, 6):
        with transaction.atomic():
            append(lock_run(made.pk), "guidance.given", {"text": f"word {number}", "by": "ana"})
    return made


def events(run: Run, **where):
    return Event.objects.filter(run=run, **where)


def edit(run: Run) -> None:
    events(run, seq=3).update(payload={"text": "other", "by": "ana"})


def delete(run: Run) -> None:
    events(run, seq=3).delete()


def cut(run: Run) -> None:
    events(run, seq=6).delete()


def empty(run: Run) -> None:
    events(run).delete()


def swap(run: Run) -> None:
    events(run, seq=3).update(seq=99)
    events(run, seq=4).update(seq=3)
    events(run, seq=99).update(seq=4)


def insert(run: Run) -> None:
    events(run, seq=6).update(seq=7)
    row = events(run, seq=5).get()
    row.pk, row.seq = None, 6
    row.save()
    Run.objects.filter(pk=run.pk).update(seq=F("seq") + 1)


def forge_author(run: Run) -> None:
    events(run, seq=3).update(at="2001-01-01T00:00:00Z")


def forge_row(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(state={"outcome": "success"})


@pytest.mark.parametrize("tamper", [edit, delete, cut, empty, swap, insert, forge_author, forge_row])
def test_tampering_is_found(run, tamper):
    tamper(run)
    assert log_problems(run.pk) != []


def test_a_sound_log_has_no_problem(run):
    assert log_problems(run.pk) == []


def test_the_problem_says_where_it_is(run):
    edit(run)
    assert log_problems(run.pk) == [
        "Event 3 (guidance.given) is not what was written: its chain value does not fit."
    ]


def test_a_missing_event_is_named(run):
    delete(run)
    assert log_problems(run.pk)[0] == "Event 3 is missing: the next one in the log is 4."
