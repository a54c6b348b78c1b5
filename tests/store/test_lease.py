"""Leases: one winner, fenced losers, dead owners known, clocks that jump survived."""

import datetime
import os
import socket
import subprocess
import sys
import threading
import time

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from agents.core.errors import Fenced
from agents.models import Run
from agents.store import lease as leases
from agents.store.audit import log_problems
from agents.store.lease import claim, free_dead_leases, is_dead, process_name
from agents.store.log import append, lock_run
from agents.store.runs import give_back, put_off
from tests.support import at_once, log_of, lose, make_run, take

pytestmark = pytest.mark.django_db


def update(run: Run, **fields) -> None:
    Run.objects.filter(pk=run.pk).update(**fields)


def in_seconds(seconds: float):
    return Now() + datetime.timedelta(seconds=seconds)


def test_a_claim_starts_the_run_under_a_new_epoch():
    run = make_run()
    lease = take(run)
    run.refresh_from_db()
    assert (run.status, run.epoch, lease.epoch, run.lease_owner) == ("running", 1, 1, "w1")
    assert log_of(run) == ["run.created", "run.started"]


def test_a_run_that_is_driven_cannot_be_claimed():
    run = make_run()
    take(run)
    assert claim(worker="w2", run_id=run.pk) is None
    assert claim(worker="w2") is None


def test_the_oldest_ready_run_is_claimed_first():
    first, second = make_run(), make_run()
    assert [claim(worker="w").run_id, claim(worker="w").run_id] == [first.pk, second.pk]


def test_a_lost_run_is_taken_over_and_the_log_says_so():
    run = make_run()
    take(run)
    lose(run)
    assert take(run, "w2").epoch == 2
    assert log_of(run)[-1] == "run.recovered"


@pytest.mark.parametrize("status", ["waiting", "paused", "succeeded", "failed", "cancelled"])
def test_a_run_that_waits_or_has_ended_is_not_claimed(status):
    run = make_run()
    update(run, status=status)
    assert claim(worker="w", run_id=run.pk) is None


@pytest.mark.parametrize(("seconds", "can_claim"), [(-1, True), (5, False), (600, False), (3600, True)])
def test_a_back_off_is_kept_unless_the_clock_was_set_back(seconds, can_claim):
    run = make_run()
    update(run, not_before=in_seconds(seconds))
    assert (claim(worker="w", run_id=run.pk) is not None) is can_claim


@pytest.mark.parametrize(("seconds", "can_claim"), [(-1, True), (20, False), (3600, True)])
def test_a_lease_is_kept_unless_the_clock_was_set_back(seconds, can_claim):
    run = make_run()
    take(run)
    update(run, lease_until=in_seconds(seconds))
    assert (claim(worker="w2", run_id=run.pk) is not None) is can_claim


def test_a_machine_whose_clock_is_wrong_does_not_steal_a_lease(monkeypatch):
    run = make_run()
    take(run)
    monkeypatch.setattr(timezone, "now", lambda: datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC))
    assert claim(worker="w2", run_id=run.pk) is None


def test_the_wish_of_a_person_survives_the_loss_of_a_worker():
    run = make_run()
    take(run)
    update(run, wish="stop", wait={"by": "ana"})
    lose(run)
    take(run, "w2")
    run.refresh_from_db()
    assert (run.wish, run.wait) == ("stop", {"by": "ana"})


def test_renewing_keeps_the_run():
    run = make_run()
    lease = take(run)
    lose(run)
    assert lease.renew()
    assert claim(worker="w2", run_id=run.pk) is None


def test_a_renewal_after_another_worker_took_over_fails():
    run = make_run()
    lease = take(run)
    lose(run)
    take(run, "w2")
    assert not lease.renew()
    assert lease.is_over
    with pytest.raises(Fenced):
        lease.check()


def test_a_lease_that_is_given_back_cannot_be_renewed():
    run = make_run()
    lease = take(run)
    give_back(lease)
    assert not lease.renew()
    run.refresh_from_db()
    assert (run.status, run.lease_owner, run.lease_until) == ("queued", "", None)


def test_a_lease_is_renewed_apart_from_the_work(transactional_db, settings):
    settings.DAYBOOK_LEASE_SECONDS = 0.3
    run = make_run()
    lease = take(run)
    thread = lease.keep()
    time.sleep(0.6)
    assert claim(worker="w2", run_id=run.pk) is None
    lease.release()
    thread.join(5)
    assert not thread.is_alive()


def test_a_lease_that_is_not_renewed_ends(settings):
    settings.DAYBOOK_LEASE_SECONDS = 0.05
    run = make_run()
    lease = take(run)
    time.sleep(0.1)
    assert lease.is_over
    assert take(run, "w2").epoch == 2


def test_of_many_workers_that_claim_at_once_one_wins(transactional_db):
    for _ in range(10):
        run = make_run()
        won = at_once(*[lambda n=n, run=run: claim(worker=f"w{n}", run_id=run.pk) for n in range(8)])
        assert sorted(type(lease).__name__ for lease in won) == ["Lease"] + ["NoneType"] * 7
        assert log_problems(run.pk) == []


def test_many_workers_take_every_run_once(transactional_db):
    runs = {make_run().pk for _ in range(12)}
    taken: list = []
    lock = threading.Lock()

    def work() -> None:
        while (lease := claim(worker="w")) is not None:
            with lock:
                taken.append(lease.run_id)

    at_once(*[work] * 4)
    assert sorted(taken) == sorted(runs)


def test_a_worker_lost_too_often_at_one_place_fails_the_run():
    run = make_run()
    take(run)
    for _ in range(leases.CRASH_LIMIT - 1):
        lose(run)
        take(run)
    lose(run)
    assert claim(worker="w", run_id=run.pk) is None
    run.refresh_from_db()
    assert (run.status, run.lease_owner) == ("failed", "")
    assert "lost 20 times at the same place" in run.error
    assert log_problems(run.pk) == []


def test_progress_in_between_starts_the_count_of_lost_workers_anew(transactional_db):
    from django.db import transaction

    run = make_run()
    for _ in range(leases.CRASH_LIMIT + 5):
        take(run)
        with transaction.atomic():
            append(lock_run(run.pk), "guidance.given", {"text": "on", "by": "ana"})
        lose(run)
    assert take(run).epoch == leases.CRASH_LIMIT + 6


def test_a_passing_fault_is_waited_out_longer_each_time():
    run = make_run()
    waits = []
    for _ in range(8):
        waits.append(put_off(take(run)))
        update(run, not_before=None)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


def test_the_wait_that_was_asked_for_is_kept_within_reason():
    run = make_run()
    assert put_off(take(run), at_least=90) == 90
    update(run, not_before=None)
    assert put_off(take(run), at_least=1e9) == 600


def test_passing_faults_alone_never_fail_a_run():
    run = make_run()
    for _ in range(leases.CRASH_LIMIT + 5):
        put_off(take(run))
        update(run, not_before=None)
    take(run)
    lose(run)
    assert claim(worker="w2", run_id=run.pk) is not None


# Who is dead


def test_this_process_lives():
    assert not is_dead(process_name() + ":worker-1")


def test_a_process_of_this_machine_that_is_gone_is_dead():
    code = "from agents.store.lease import process_name; print(process_name())"
    setup = "import django; django.setup(); "
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "project.settings"}
    name = subprocess.run(
        [sys.executable, "-c", setup + code], capture_output=True, text=True, check=True, env=env
    ).stdout.strip()
    assert is_dead(name + ":worker-1")


@pytest.mark.parametrize("owner", ["", "w1", "elsewhere/1:1:1:worker-1", "elsewhere:1:1"])
def test_what_cannot_be_known_is_not_called_dead(owner):
    assert not is_dead(owner)


def test_a_name_fits_the_column_whatever_the_machine_is_called(monkeypatch):
    leases._machine.cache_clear()
    monkeypatch.setattr(socket, "gethostname", lambda: "a-very-long-name-of-a-host-in-a-cluster." * 3)
    try:
        owner = (process_name() + ":" + threading.current_thread().name)[:80]
        assert not is_dead(owner)
    finally:
        leases._machine.cache_clear()


def test_the_lease_of_a_dead_process_ends_at_once():
    dead, living, foreign = make_run(), make_run(), make_run()
    parts = process_name().split(":")
    owners = {dead: f"{parts[0]}:{parts[1]}:1:w", living: process_name() + ":w", foreign: "elsewhere:1:1:w"}
    for run, owner in owners.items():
        take(run, owner)
    assert free_dead_leases() == 1
    assert claim(worker="w2").run_id == dead.pk
    assert claim(worker="w2") is None


def test_the_steady_clock_only_goes_on():
    first = leases.steady()
    assert 0 <= leases.steady() - first < 5
