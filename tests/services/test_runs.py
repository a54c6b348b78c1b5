"""Starting, steering and ending runs: every way between states, and none besides."""

import pytest

from agents.core.errors import BadInput, IllegalTransition
from agents.core.lifecycle import ENDED, TRANSITIONS, RunStatus
from agents.core.versions import DRIVABLE, GRAPH_VERSION
from agents.engine.driver import GRAPHS
from agents.models import Gate, Run
from agents.services import (
    change_budget,
    give_guidance,
    pause_run,
    resume_run,
    retry_run,
    start_run,
    stop_run,
)
from agents.store.audit import log_problems
from agents.store.runs import fail, finish, move
from tests.support import do, journal_of, log_of, lose, make_run, make_study, open_gate, request_for, take

pytestmark = pytest.mark.django_db


def now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def put_in(status: str) -> Run:
    """Return a run that came to ``status`` by the ways there are."""
    run = make_run()
    if status == "waiting":
        open_gate(run)
    elif status == "paused":
        pause_run(run.pk, by="ana")
    elif status == "cancelled":
        stop_run(run.pk, by="ana")
    elif status != "queued":
        lease = take(run)
        if status == "failed":
            fail(lease, error="the instrument is on fire")
        elif status == "succeeded":
            finish(lease, outcome="found", is_stopped=False)
    assert now(run).status == status
    return now(run)


def test_the_engine_and_the_services_speak_of_the_same_graphs():
    assert tuple(GRAPHS) == DRIVABLE
    assert GRAPH_VERSION in DRIVABLE


def test_a_new_run_carries_the_study_as_it_stands():
    study = make_study(policy="auto")
    run = start_run(study, by="ana", budget={"rounds": 7})
    assert (run.number, run.status, run.policy, run.protocol["seed"]) == (1, "queued", "auto", 1)
    assert run.protocol["budget"]["rounds"] == 7
    assert start_run(study, by="ana").number == 2


@pytest.mark.parametrize(
    ("fields", "given", "message"),
    [
        ({"goal": ""}, {}, "what the study is to find out"),
        ({"space": {}}, {}, "at least one parameter"),
        ({}, {"policy": "never"}, "no policy 'never'"),
        ({}, {"budget": {"rounds": -1}}, "budget rounds"),
    ],
)
def test_a_run_that_cannot_start_says_what_is_missing(fields, given, message):
    with pytest.raises(BadInput, match=message):
        start_run(make_study(**fields), by="ana", **given)
    assert not Run.objects.exists()


# Stop


@pytest.mark.parametrize("status", ["queued", "waiting", "paused"])
def test_a_run_that_is_not_driven_stops_at_once(status):
    run = put_in(status)
    stop_run(run.pk, by="ben")
    assert now(run).status == "cancelled"
    assert log_of(run)[-2:] == ["run.stopped", "run.finished"]
    assert not Gate.objects.filter(run=run, status="open").exists()


def test_a_driven_run_is_asked_to_stop_and_stopping_twice_is_one_stop():
    run = put_in("running")
    stop_run(run.pk, by="ben")
    stop_run(run.pk, by="cyd")
    assert (now(run).status, now(run).wish, now(run).wait) == ("running", "stop", {"by": "ben"})


def test_a_stopped_run_stays_stopped():
    run = put_in("cancelled")
    stop_run(run.pk, by="ben")
    assert log_of(run).count("run.stopped") == 1


@pytest.mark.parametrize("status", ["succeeded", "failed"])
def test_a_run_that_ended_otherwise_cannot_be_stopped(status):
    run = put_in(status)
    before = log_of(run)
    with pytest.raises(IllegalTransition, match=f"the run is {status}"):
        stop_run(run.pk, by="ben")
    assert log_of(run) == before


def test_a_stop_outweighs_a_pause_that_was_asked_for():
    run = put_in("running")
    pause_run(run.pk, by="ana")
    stop_run(run.pk, by="ben")
    assert now(run).wish == "stop"


# Pause, resume, retry


@pytest.mark.parametrize("status", ["queued", "waiting"])
def test_a_run_that_is_not_driven_pauses_at_once(status):
    run = put_in(status)
    pause_run(run.pk, by="ben")
    assert (now(run).status, now(run).wait) == ("paused", {"by": "ben"})


def test_pausing_twice_is_one_pause():
    run = put_in("paused")
    pause_run(run.pk, by="ben")
    assert log_of(run).count("run.paused") == 1


def test_a_paused_run_goes_on():
    run = put_in("paused")
    resume_run(run.pk, by="ben")
    assert now(run).status == "queued"
    assert log_of(run)[-1] == "run.resumed"


def test_a_failed_run_is_retried_from_where_it_was():
    run = put_in("failed")
    retry_run(run.pk, by="ben")
    assert (now(run).status, now(run).error, now(run).ended_at) == ("queued", "", None)
    assert take(run).epoch == 2


def test_a_failed_run_that_had_an_open_gate_waits_there_again():
    run = make_run()
    lease = take(run)
    do(journal_of(lease).ask, request_for())
    fail(lease, error="the disk is full")
    retry_run(run.pk, by="ben")
    assert do(journal_of(take(run)).ask, request_for()) is None
    assert Gate.objects.get(run=run).status == "open"


@pytest.mark.parametrize("status", [status for status in RunStatus if status != "paused"])
def test_only_a_paused_run_is_resumed(status):
    run = put_in(status)
    with pytest.raises(IllegalTransition, match="not paused"):
        resume_run(run.pk, by="ben")


@pytest.mark.parametrize("status", [status for status in RunStatus if status != "failed"])
def test_only_a_failed_run_is_retried(status):
    run = put_in(status)
    with pytest.raises(IllegalTransition, match="only a failed run"):
        retry_run(run.pk, by="ben")


# The table of transitions


@pytest.mark.parametrize("old", list(RunStatus))
@pytest.mark.parametrize("new", list(RunStatus))
def test_a_status_changes_only_by_the_table(old, new):
    run = put_in(old)
    if new in TRANSITIONS[old]:
        move(run, new)
        assert now(run).status == new
    else:
        with pytest.raises(IllegalTransition, match=f"the run is {old}; it cannot become {new}"):
            move(run, new)
        assert now(run).status == old


@pytest.mark.parametrize("new", [status for status in RunStatus if status != "running"])
def test_whoever_leaves_running_leaves_the_lease(new):
    run = put_in("running")
    move(run, new)
    assert (now(run).lease_owner, now(run).lease_until) == ("", None)


# Guidance and budget


@pytest.mark.parametrize("status", [status for status in RunStatus if status not in ENDED])
def test_guidance_reaches_a_run_that_goes_on(status):
    run = put_in(status)
    give_guidance(run.pk, text=" mind the pH ", by="ana")
    assert log_of(run)[-1] == "guidance.given"


@pytest.mark.parametrize("status", sorted(ENDED))
def test_guidance_for_a_run_that_has_ended_is_refused(status):
    with pytest.raises(IllegalTransition, match="has ended"):
        give_guidance(put_in(status).pk, text="mind the pH", by="ana")


@pytest.mark.parametrize(("text", "message"), [("  ", "Write what"), ("x" * 4001, "4001 characters")])
def test_guidance_that_cannot_be_used_is_refused(text, message):
    with pytest.raises(BadInput, match=message):
        give_guidance(make_run().pk, text=text, by="ana")


def test_a_limit_is_changed_lifted_and_logged():
    run = make_run()
    change_budget(run.pk, by="ana", rounds=None, experiments=12)
    assert now(run).protocol["budget"]["rounds"] is None
    assert now(run).protocol["budget"]["experiments"] == 12
    assert log_of(run)[-1] == "budget.changed"


def test_a_limit_that_makes_no_sense_changes_nothing():
    run = make_run()
    with pytest.raises(BadInput, match="budget experiments"):
        change_budget(run.pk, by="ana", experiments=-3)
    assert log_of(run) == ["run.created"]


@pytest.mark.parametrize("status", list(RunStatus))
def test_the_log_of_a_run_is_sound_in_every_state(status):
    run = put_in(status)
    if status == "running":
        lose(run)
        take(run, "w2")
    assert log_problems(run.pk) == []
