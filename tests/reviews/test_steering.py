"""Every state of a run × everything people may do to it, in the browser and in a terminal: one table."""

import pytest
from django.urls import reverse

from agents.core import versions
from agents.core.lifecycle import RunStatus
from agents.models import Event, Run
from agents.services import pause_run, stop_run
from agents.services.holds import hold_others
from agents.store.audit import log_problems
from agents.store.runs import fail, finish
from reviews.models import Role
from reviews.services import add_member
from reviews.steering import VERBS
from tests.commands.console import data, fault, say
from tests.reviews.views.conftest import browser_of, waiting_gate
from tests.support import log_of, make_run, make_user, take

pytestmark = pytest.mark.django_db

SAME = "same"
"""Nothing to do: asking again for what is so already is a success."""
NO = "no"
STATES = (*RunStatus, "held")

TABLE: dict[str, dict[str, str]] = {
    #            what the run is after the verb; NO: refused with a reason and without a trace
    "queued": {"pause": "paused", "resume": NO, "retry": NO, "stop": "cancelled"},
    "running": {"pause": "running", "resume": NO, "retry": NO, "stop": "running"},
    "waiting": {"pause": "paused", "resume": NO, "retry": NO, "stop": "cancelled"},
    "paused": {"pause": SAME, "resume": "waiting", "retry": NO, "stop": "cancelled"},
    "succeeded": {"pause": NO, "resume": NO, "retry": NO, "stop": NO},
    "failed": {"pause": NO, "resume": NO, "retry": "queued", "stop": NO},
    "cancelled": {"pause": NO, "resume": NO, "retry": NO, "stop": SAME},
    "held": {"pause": SAME, "resume": NO, "retry": NO, "stop": "cancelled"},
}
CHOICES = {"finish": "waiting", "fork": "cancelled", "close": "cancelled"}
"""What becomes of a held run that waited at a review; every other state refuses them."""

REWINDS = {"queued": NO, "running": NO}
"""A run that never came to a round has nothing to go back to; all others may be rewound at any time."""

BESIDE = ("rewind", "fork", "continue")
"""What makes another run."""

CASES = [(state, verb) for state in STATES for verb in VERBS]


def expected(state: str, verb: str) -> str:
    if verb == "continue":
        return SAME
    if verb == "rewind":
        return REWINDS.get(state, SAME)
    if verb in CHOICES:
        return CHOICES[verb] if state == "held" else NO
    return TABLE[state][verb]


def put_in(state: str, monkeypatch) -> Run:
    """Return a run in ``state`` that came there by the ways there are; all but two have come to round 1."""
    if state in ("queued", "running"):
        run = make_run()
        if state == "running":
            take(run)
        return now(run)
    run = waiting_gate().run
    if state == "paused":
        pause_run(run.pk, by="ana")
    elif state == "cancelled":
        stop_run(run.pk, by="ana")
    elif state == "held":
        monkeypatch.setattr(versions, "GRAPH_VERSION", "2")
        monkeypatch.setattr(versions, "DRIVABLE", ("1", "2"))
        assert hold_others() == 1
    elif state != "waiting":
        Run.objects.filter(pk=run.pk).update(status="queued")
        lease = take(run)
        if state == "failed":
            fail(lease, error="the instrument is on fire")
        else:
            finish(lease, outcome="found", is_stopped=False)
    return now(run)


def now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def check(run: Run, state: str, verb: str, before: list[str], *, refused: bool) -> None:
    wanted, after = expected(state, verb), now(run)
    was = RunStatus.PAUSED if state == "held" else state
    if wanted == NO:
        assert refused
        assert (after.status, log_of(run)) == (was, before)
        assert not Run.objects.filter(parent=run).exists()
        return
    assert not refused
    assert after.status == (was if wanted == SAME else wanted)
    if state == "running" and verb not in BESIDE:
        assert after.wish == verb
    assert Run.objects.filter(parent=run).count() == (verb in BESIDE)
    for fork in Run.objects.filter(parent=run):
        assert fork.status == "queued"
        assert not fork.gates.exists()
        assert log_problems(fork.pk) == []
    assert log_problems(run.pk) == []


@pytest.fixture
def researcher():
    return make_user("rita")


@pytest.mark.parametrize(("state", "verb"), CASES)
def test_in_the_browser(state, verb, monkeypatch, researcher):
    run = put_in(state, monkeypatch)
    add_member(study=run.study, user=researcher, role=Role.RESEARCHER)
    before = log_of(run)
    answer = browser_of(researcher).post(reverse("run-verb", args=[run.pk, verb]))
    refused = answer.status_code in (409, 422)
    if not refused:
        new = Run.objects.filter(parent=run).first()
        assert answer.url == reverse("run", args=[(new or run).pk])
        assert browser_of(researcher).get(answer.url).status_code == 200
    check(run, state, verb, before, refused=refused)


@pytest.mark.parametrize(("state", "verb"), CASES)
def test_in_a_terminal(state, verb, monkeypatch, researcher):
    run = put_in(state, monkeypatch)
    add_member(study=run.study, user=researcher, role=Role.RESEARCHER)
    before = log_of(run)
    words = ("steer", verb, str(run.pk), "--user", "rita")
    refused = expected(state, verb) == NO
    if refused:
        error = fault(*words)
        assert str(error)
        assert error.returncode in (1, 2)
    else:
        told = data(*words)
        assert told["parent"] == (str(run.pk) if verb in BESIDE else None)
    check(run, state, verb, before, refused=refused)


@pytest.mark.parametrize("role", [Role.VIEWER, None])
@pytest.mark.parametrize("verb", VERBS)
def test_whoever_may_not_changes_nothing(role, verb, monkeypatch, researcher):
    run = put_in("held", monkeypatch)
    if role:
        add_member(study=run.study, user=researcher, role=role)
    before = log_of(run)
    answer = browser_of(researcher).post(reverse("run-verb", args=[run.pk, verb]))
    assert answer.status_code == (403 if role else 404)
    assert fault("steer", verb, str(run.pk), "--user", "rita")
    assert log_of(run) == before


def test_a_held_run_says_why_and_offers_three_ways(monkeypatch, researcher):
    run = put_in("held", monkeypatch)
    add_member(study=run.study, user=researcher, role=Role.RESEARCHER)
    page = browser_of(researcher).get(reverse("run", args=[run.pk])).content.decode()
    assert "The run was begun by graph version 1; this program&#x27;s is 2." in page
    for verb in CHOICES:
        assert reverse("run-verb", args=[run.pk, verb]) in page
    assert reverse("run-verb", args=[run.pk, "resume"]) not in page
    assert "graph version 1" in say("steer", "show", str(run.pk), "--user", "rita")
    listed = browser_of(researcher).get(reverse("runs"), {"state": "needs"})
    assert run in listed.context["page"].object_list


def test_a_held_run_is_not_driven_from_a_terminal_either(monkeypatch, researcher):
    run = put_in("held", monkeypatch)
    error = fault("run", "--resume", str(run.pk))
    assert "Choose: finish, fork, close" in str(error)
    assert now(run).status == "paused"


@pytest.mark.parametrize("round", ["0", "2", "-1", "x", "9" * 30])
def test_a_round_that_never_was_is_refused(round, monkeypatch, researcher):
    run = put_in("waiting", monkeypatch)
    add_member(study=run.study, user=researcher, role=Role.RESEARCHER)
    answer = browser_of(researcher).post(reverse("run-verb", args=[run.pk, "rewind"]), {"round": round})
    assert answer.status_code == 422
    assert not Run.objects.filter(parent=run).exists()


def test_a_rewound_run_says_where_it_comes_from(monkeypatch, researcher):
    run = put_in("waiting", monkeypatch)
    add_member(study=run.study, user=researcher, role=Role.RESEARCHER)
    new = data("steer", "rewind", str(run.pk), "--round", "1", "--user", "rita")["run"]
    origin = Event.objects.get(run=new, kind="run.forked").payload
    assert (origin["parent"], origin["round"]) == (str(run.pk), 1)
