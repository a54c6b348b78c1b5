"""The machine's clock jumps under a run: order, log and waiting reviews stand, and the run goes on."""

import datetime
from itertools import pairwise

import pytest
from django.db import connection, transaction
from django.db.backends.signals import connection_created
from django.utils import timezone

from agents.models import Gate
from agents.services import deliver, prepare_answer
from agents.store.lease import claim
from agents.testing import ModelServer
from agents.worker import advance
from benchmarks.parts.faults_site import connected_to
from tests.faults.instrument import presses
from tests.faults.processes import wait_until
from tests.faults.rows import press_run, presser, wrongs_of

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="moves the clock that SQLite asks")
MONTH = 30 * 24 * 3600
ROUNDS = 6


class Clock:
    """The time of this process and of its database; ``jump`` moves it by seconds."""

    def __init__(self) -> None:
        self.shift = datetime.timedelta()

    def now(self) -> datetime.datetime:
        return datetime.datetime.now(datetime.UTC) + self.shift

    def jump(self, seconds: float) -> None:
        self.shift += datetime.timedelta(seconds=seconds)

    def install(self, connection, **_) -> None:
        # In place of SQLite's own, which asks the machine.
        connection.connection.create_function("STRFTIME", -1, self._strftime)

    def _strftime(self, form: str, *_: str) -> str:
        moment = self.now()
        return moment.strftime(form.replace("%f", "%S.%%03d")) % (moment.microsecond // 1000)


@pytest.fixture
def clock(monkeypatch, transactional_db):
    clock = Clock()
    monkeypatch.setattr(timezone, "now", clock.now)
    connection.close()
    connection_created.connect(clock.install)
    yield clock
    connection_created.disconnect(clock.install)
    connection.close()


def drive(run):
    """Claim and advance until the run waits or ends, as a worker does."""

    def rests() -> bool:
        lease = claim(worker="w", run_id=run.pk)
        if lease is not None:
            advance(lease)
        run.refresh_from_db()
        return run.status != "queued"

    wait_until(rests)
    return run


def doses(oracle):
    return [int(line["dose"]) for line in presses(oracle)]


@pytest.mark.parametrize("jumps", [(MONTH,), (-MONTH,), (MONTH, -MONTH), (3600, -3600, 3600)], ids=str)
def test_a_clock_that_jumps_while_a_run_is_driven_changes_nothing(oracle, clock, jumps):
    script, left = presser(ROUNDS), list(jumps)

    def jumping(request, number):
        if number % 2 and left:
            clock.jump(left.pop(0))
        return script(request, number)

    with ModelServer(jumping) as server, connected_to(server):
        run = drive(press_run())
    assert (run.status, len(doses(oracle)), wrongs_of(run, doses(oracle))) == ("succeeded", ROUNDS, [])
    times = list(run.events.order_by("seq").values_list("at", flat=True))
    assert all(earlier <= later for earlier, later in pairwise(times))
    assert run.spent["seconds"] < 60


@pytest.mark.parametrize("jump", [MONTH, -MONTH])
def test_a_review_that_waited_over_a_jump_is_decided_and_the_run_goes_on(oracle, clock, jump):
    with ModelServer(presser(1)) as server, connected_to(server):
        run = drive(press_run(policy="every_step"))
        clock.jump(jump)
        for _ in range(2):
            gate = Gate.objects.get(run=run, status="open")
            with transaction.atomic():
                deliver(gate, prepare_answer(gate, verdict="approve", by="ana"), shown_digest=gate.digest)
            drive(run)
    assert (run.status, len(doses(oracle)), wrongs_of(run, doses(oracle))) == ("succeeded", 1, [])


@pytest.mark.parametrize("jump", [MONTH, -MONTH])
def test_a_worker_that_was_lost_before_a_jump_is_taken_over_after_it(oracle, clock, jump, settings):
    settings.DAYBOOK_LEASE_SECONDS = 1.0
    with ModelServer(presser(ROUNDS)) as server, connected_to(server):
        run = press_run()
        assert claim(worker="lost", run_id=run.pk)
        clock.jump(jump)
        wait_until(lambda: drive(run).has_ended)
    assert (run.status, wrongs_of(run, doses(oracle))) == ("succeeded", [])
