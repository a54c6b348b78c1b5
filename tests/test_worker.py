"""Claim → drive → park, with a scripted reasoner and toy tools on real rows."""

import asyncio
import logging
import threading
import time

import pytest
from django.db import OperationalError, transaction

from agents import assembly, wiring, worker
from agents.core.errors import BadInput, Transient
from agents.models import Effect, Event, Experiment, Gate, Run
from agents.queries import asked_model_at
from agents.services import (
    change_budget,
    change_run_policy,
    deliver,
    pause_run,
    prepare_answer,
    resume_run,
    stop_run,
)
from agents.store.audit import log_problems
from agents.store.bridge import in_database
from agents.store.policy import judge_gate
from agents.store.saver import OrmSaver
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.testing.toolbox import ToyToolbox
from agents.worker import advance, work_forever, work_once
from tests.support import log_of, lose, make_run, make_study, take

pytestmark = pytest.mark.django_db


class Lab:
    """A study whose reasoner tries rising doses and ends after ``rounds``."""

    def __init__(self, rounds: int = 3) -> None:
        self.toolbox = ToyToolbox()
        self.reasoner = ScriptedReasoner(
            lambda brief: finish() if brief.round > rounds else propose("weigh", dose=brief.round)
        )


@pytest.fixture
def lab(monkeypatch) -> Lab:
    made = Lab()
    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: made.toolbox)
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: made.reasoner)
    return made


def now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def work_off(limit: int = 50) -> None:
    for _ in range(limit):
        if not work_once(worker="w"):
            return
    raise AssertionError("the work does not end")


def approve(run: Run) -> None:
    gate = Gate.objects.get(run=run, status="open")
    with transaction.atomic():
        deliver(gate, prepare_answer(gate, verdict="approve", by="ana"), shown_digest=gate.digest)


def test_an_unattended_run_goes_to_its_end(lab):
    run = make_run(policy="auto")
    work_off()
    assert (now(run).status, now(run).round) == ("succeeded", 4)
    assert [call[0].arguments["dose"] for call in lab.toolbox.calls] == [1, 2, 3]
    assert Experiment.objects.filter(run=run).count() == 3
    assert now(run).state["best"]["value"] == 0.3
    assert log_problems(run.pk) == []


def test_a_run_waits_at_every_review_and_holds_nothing(lab):
    run = make_run(policy="every_step")
    work_off()
    assert (now(run).status, now(run).lease_owner, now(run).wait["gate"]) == ("waiting", "", "1/review")
    assert lab.toolbox.calls == []
    for _ in range(4):
        approve(run)
        work_off()
    assert now(run).status == "succeeded"
    assert len(lab.toolbox.calls) == 3


def test_a_run_whose_worker_died_after_the_last_step_still_ends_once(lab, monkeypatch):
    run = make_run(policy="auto")
    lease = take(run)
    with monkeypatch.context() as patched:
        patched.setattr(worker, "finish", lambda *args, **kwargs: "as if killed")
        advance(lease)
    lose(run)
    assert (now(run).status, len(lab.toolbox.calls)) == ("running", 3)
    work_off()
    assert (now(run).status, len(lab.toolbox.calls)) == ("succeeded", 3)
    assert log_of(run).count("summary.written") == log_of(run).count("run.finished") == 1


def change_after(monkeypatch, times: int, change) -> None:
    """Let somebody do ``change`` when the policy has judged for the ``times``-th time and nothing of it is stored."""
    judged = []

    def judging(*args):
        judgement = judge_gate(*args)
        judged.append(judgement)
        if len(judged) == times:
            change()
        return judgement

    monkeypatch.setattr("agents.store.journal.judge_gate", judging)


@pytest.mark.parametrize("times", [1, 2])
def test_what_an_older_policy_let_through_does_not_run_once_it_was_changed(lab, monkeypatch, times):
    """The table is read before the transaction that stores the gate; in between people may have become careful."""
    run = make_run(policy="auto")
    change_after(monkeypatch, times, lambda: change_run_policy(run.pk, by="ana", policy="every_step"))
    work_off()
    gate = Gate.objects.get(run=run, key=f"{times}/review")
    assert (now(run).status, gate.status, gate.judgement["policy"]) == ("waiting", "open", "every_step")
    assert len(lab.toolbox.calls) == times - 1
    assert not Effect.objects.filter(run=run, key__startswith=f"{times}/act").exists()
    approve(run)
    work_off()
    assert [call[0].arguments["dose"] for call in lab.toolbox.calls] == list(range(1, times + 1))
    assert log_of(run).count("proposal.made") == times + 1
    assert log_problems(run.pk) == []


def test_an_end_that_an_older_policy_let_through_waits_too(lab, monkeypatch):
    run = make_run(policy="auto")
    change_after(monkeypatch, 4, lambda: change_run_policy(run.pk, by="ana", policy="every_step"))
    work_off()
    assert (now(run).status, Gate.objects.get(run=run, status="open").kind) == ("waiting", "finish")
    approve(run)
    work_off()
    assert now(run).status == "succeeded"


def test_a_change_that_lets_it_through_as_well_costs_only_another_look(lab, monkeypatch):
    run = make_run(policy="auto")
    change_after(monkeypatch, 2, lambda: change_run_policy(run.pk, by="ana", policy="milestones_10"))
    work_off()
    gate = Gate.objects.get(run=run, key="2/review")
    assert (gate.status, gate.judgement["policy"]) == ("answered", "milestones_10")
    assert len(lab.toolbox.calls) == 3
    assert log_of(run).count("proposal.made") == 3


def test_who_stops_the_run_and_changes_its_policy_at_once_is_obeyed(lab, monkeypatch):
    run = make_run(policy="auto")

    def change() -> None:
        change_run_policy(run.pk, by="ana", policy="every_step")
        stop_run(run.pk, by="ana")

    change_after(monkeypatch, 1, change)
    work_off()
    assert (now(run).status, lab.toolbox.calls) == ("cancelled", [])


def test_before_an_effect_begins_everything_that_led_to_it_is_stored(lab, monkeypatch):
    run = make_run(policy="auto")
    lease = take(run)
    call, seen = lab.toolbox.call, []

    def stored(action) -> dict:
        state = (
            OrmSaver().get_tuple({"configurable": {"thread_id": str(run.pk)}}).checkpoint["channel_values"]
        )
        return {
            "pending": len(lease.pending),
            "let through": state["answer"]["verdict"],
            "is next": state["next_action"]["arguments"] == action.arguments,
            "log": log_of(run)[-2:],
        }

    async def look(action, **given):
        seen.append(await in_database(stored, action))
        return await call(action, **given)

    monkeypatch.setattr(lab.toolbox, "call", look)
    assert advance(lease) == "succeeded"
    whole = {
        "pending": 0,
        "let through": "approve",
        "is next": True,
        "log": ["gate.passed", "effect.started"],
    }
    assert seen == [whole] * 3


@pytest.mark.parametrize("lost", range(1, 9))
def test_steps_that_were_not_stored_are_done_again_and_their_effects_are_not(lab, monkeypatch, lost):
    """A worker dies when the ``lost``-th checkpoint is made: what waited for its next transaction is gone."""
    run = make_run(policy="auto")
    put, made = OrmSaver.put, []

    def die(saver, *given):
        made.append(1)
        if len(made) == lost:
            raise KeyboardInterrupt
        return put(saver, *given)

    with monkeypatch.context() as patched:
        patched.setattr(OrmSaver, "put", die)
        with pytest.raises(KeyboardInterrupt):
            advance(take(run))
    lose(run)
    work_off()
    assert now(run).status == "succeeded"
    done = [action.arguments["dose"] for action, _ in lab.toolbox.calls]
    kept = Experiment.objects.filter(run=run).order_by("round").values_list("planned__dose", flat=True)
    assert sorted(set(done)) == list(kept) == [1, 2, 3]
    # Only what is *local*, and so changed nothing outside, may have been done again.
    assert len(done) <= 4
    assert log_problems(run.pk) == []


@pytest.mark.parametrize(("ask", "status"), [(pause_run, "paused"), (stop_run, "cancelled")])
def test_a_wish_during_a_step_is_obeyed_before_the_next_effect(lab, monkeypatch, ask, status):
    run = make_run(policy="auto")
    call = lab.toolbox.call

    async def call_and_ask(action, **given):
        await in_database(ask, run.pk, by="ben")
        return await call(action, **given)

    monkeypatch.setattr(lab.toolbox, "call", call_and_ask)
    work_off()
    assert (now(run).status, len(lab.toolbox.calls)) == (status, 1)
    assert Event.objects.get(run=run, key="1/completed").payload["outcome"] == "mass 0.1 g"
    assert log_problems(run.pk) == []


def test_a_stop_does_not_wait_for_a_model_that_hangs(lab, monkeypatch):
    run = make_run(policy="auto")
    lab.reasoner.calls_out = True
    seen = []

    async def hang(brief, listener):
        seen.append(await in_database(lambda: asked_model_at(now(run))))
        await in_database(stop_run, run.pk, by="ben")
        await asyncio.sleep(60)

    monkeypatch.setattr(lab.reasoner, "propose", hang)
    began = time.monotonic()
    work_off()
    assert time.monotonic() - began < 30
    assert (now(run).status, len(seen)) == ("cancelled", 1)
    assert seen[0] is not None
    assert asked_model_at(now(run)) is None
    assert log_problems(run.pk) == []


def test_a_stopped_run_starts_no_further_tool(lab):
    run = make_run(policy="auto")
    lease = take(run)
    stop_run(run.pk, by="ben")
    assert advance(lease) == "cancelled"
    assert lab.toolbox.calls == []
    assert Event.objects.get(run=run, kind="run.stopped").payload == {"by": "ben"}


def test_a_paused_run_is_taken_up_where_it_was(lab):
    run = make_run(policy="every_step")
    work_off()
    pause_run(run.pk, by="ben")
    work_off()
    assert now(run).status == "paused"
    resume_run(run.pk, by="ben")
    approve(run)
    work_off()
    assert now(run).wait["gate"] == "2/review"


def test_a_run_is_given_back_when_the_process_shuts_down(lab, monkeypatch):
    run = make_run(policy="auto")
    monkeypatch.setattr(worker, "_draining", threading.Event())
    worker._draining.set()
    assert advance(take(run)) == "queued"
    assert (now(run).lease_owner, lab.toolbox.calls) == ("", [])
    worker._draining.clear()
    work_off()
    assert now(run).status == "succeeded"


def test_a_stop_while_the_process_shuts_down_is_a_stop(lab, monkeypatch):
    run = make_run(policy="auto")
    monkeypatch.setattr(worker, "_draining", threading.Event())
    worker._draining.set()
    lease = take(run)
    stop_run(run.pk, by="ben")
    assert advance(lease) == "cancelled"


def test_a_passing_fault_puts_the_run_off(lab, monkeypatch):
    run = make_run(policy="auto")

    def away(protocol):
        raise Transient("the service rests", retry_after=40)

    monkeypatch.setattr(assembly, "toolbox_for", away)
    assert advance(take(run)) == "queued"
    assert now(run).not_before is not None
    assert work_once(worker="w") is False


def test_a_fault_of_the_database_puts_the_run_off(lab, monkeypatch):
    run = make_run(policy="auto")

    def locked(protocol):
        raise OperationalError("database is locked")

    monkeypatch.setattr(assembly, "toolbox_for", locked)
    assert advance(take(run)) == "queued"
    assert log_problems(run.pk) == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (BadInput("the study names a tool that is gone"), "the study names a tool that is gone"),
        (ZeroDivisionError("division by zero"), "Unexpected ZeroDivisionError: division by zero"),
    ],
)
def test_a_lasting_fault_fails_the_run_and_says_why(lab, monkeypatch, caplog, fault, error):
    run = make_run(policy="auto")

    def broken(protocol):
        raise fault

    monkeypatch.setattr(assembly, "toolbox_for", broken)
    with caplog.at_level(logging.CRITICAL):
        assert advance(take(run)) == "failed"
    assert now(run).error == error
    assert Event.objects.get(run=run, kind="run.failed").payload == {"error": error}


def test_a_worker_that_lost_its_run_stops_without_a_trace(lab):
    run = make_run(policy="auto")
    stale = take(run)
    lose(run)
    take(run, "w2")
    before = log_of(run)
    assert advance(stale) == "fenced"
    assert (log_of(run), lab.toolbox.calls) == (before, [])


def test_the_states_of_a_run_are_plain_data_in_few_rows(lab):
    from agents.models import Checkpoint

    run = make_run(policy="auto", study=make_study(budget={"rounds": 30}))
    lab.reasoner._script = lambda brief: propose("weigh", dose=brief.round)
    work_off()
    assert now(run).state["outcome"] == "budget used up: rounds, experiments"
    assert Checkpoint.objects.filter(thread_id=str(run.pk)).count() <= 24
    assert Effect.objects.filter(run=run, status="done").count() == 31


def test_workers_go_on_after_an_unexpected_fault(transactional_db, lab, monkeypatch, caplog):
    run = make_run(policy="auto")
    stop, faults = threading.Event(), iter([RuntimeError("odd"), OperationalError("locked")])

    def unsteady(**given):
        fault = next(faults, None)
        if fault is not None:
            raise fault
        if not work_once(**given):
            stop.set()
        return True

    monkeypatch.setattr(worker, "work_once", unsteady)
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0.01)
    with caplog.at_level(logging.CRITICAL):
        work_forever(stop=stop)
    assert now(run).status == "succeeded"


def test_a_limit_that_is_changed_in_the_middle_of_a_drive_counts_at_once(lab, monkeypatch):
    run = make_run(policy="auto")
    propose_next = lab.reasoner.propose

    async def changing(brief, listener):
        if brief.round == 2:
            await in_database(change_budget, run.pk, by="ana", rounds=3)
        return await propose_next(brief, listener)

    monkeypatch.setattr(lab.reasoner, "propose", changing)
    lab.reasoner._script = lambda brief: propose("weigh", dose=brief.round)
    advance(take(run))
    assert (now(run).status, now(run).state["outcome"]) == ("succeeded", "budget used up: rounds")
    assert [action.arguments["dose"] for action, _ in lab.toolbox.calls] == [1, 2, 3]


def test_a_run_that_is_short_of_memory_is_tried_again_and_then_says_so(lab, monkeypatch):
    run = make_run(policy="auto")
    monkeypatch.setattr("agents.engine.nodes.update.brief_for", _out_of_memory)
    for expected in ("queued", "queued", "failed"):
        Run.objects.filter(pk=run.pk).update(not_before=None)
        assert advance(take(run)) == expected
    assert "more memory than this machine gives" in now(run).error
    assert len(lab.toolbox.calls) == 1


async def _out_of_memory(*args, **given):
    raise MemoryError
