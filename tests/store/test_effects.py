"""The ledger of effects: at most once without a person's word, whatever the effect class."""

import pytest
from asgiref.sync import sync_to_async
from django.db import DatabaseError, DataError, OperationalError

from agents.core.errors import Fenced, OutcomeUnknown, Refused, Stopped, Yielded
from agents.core.tools import EffectClass
from agents.models import Effect, Event, Run
from agents.store.audit import log_problems
from agents.store.journal import OrmJournal
from agents.store.runs import fail
from tests.support import do, journal_of, log_of, lose, make_run, request_for, take

pytestmark = pytest.mark.django_db
LOCAL, KEYED, BLIND = EffectClass.LOCAL, EffectClass.KEYED, EffectClass.BLIND
KEY = "1/act/weigh"


class Instrument:
    """Counts how often it was used; ``dies`` plays a worker that is lost in the middle."""

    def __init__(self) -> None:
        self.uses = 0

    async def use(self):
        self.uses += 1
        return {"mass": 0.5}

    async def die(self):
        self.uses += 1
        raise KeyboardInterrupt


@pytest.fixture
def run() -> Run:
    return make_run()


@pytest.fixture
def instrument() -> Instrument:
    return Instrument()


def once(journal: OrmJournal, call, *, effect=BLIND, key=KEY, attempt=1, request=None):
    return do(journal.once, key, call, effect=effect, request=request or {"dose": 5}, attempt=attempt)


def crash_in(run: Run, instrument: Instrument, effect: EffectClass, **given) -> OrmJournal:
    """Lose a worker in the middle of an effect; return the next worker's journal."""
    with pytest.raises(KeyboardInterrupt):
        once(journal_of(take(run)), instrument.die, effect=effect, **given)
    lose(run)
    return journal_of(take(run, "w2"))


@pytest.mark.parametrize("effect", [LOCAL, KEYED, BLIND])
def test_a_finished_effect_is_returned_and_not_repeated(run, instrument, effect):
    journal = journal_of(take(run))
    results = [once(journal, instrument.use, effect=effect) for _ in range(3)]
    assert results == [{"mass": 0.5}] * 3
    assert instrument.uses == 1
    assert log_of(run)[2:] == ["effect.started", "effect.finished"]


@pytest.mark.parametrize(("effect", "stored"), [(LOCAL, "started"), (KEYED, "done"), (BLIND, "done")])
def test_what_changed_something_outside_is_stored_at_once_the_rest_with_the_next_step(
    run, instrument, effect, stored
):
    lease = take(run)
    once(journal_of(lease), instrument.use, effect=effect)
    assert Effect.objects.get(run=run).status == stored
    with lease.writing():
        assert Effect.objects.get(run=run).status == "done"


def test_what_a_policy_let_through_is_stored_before_it_starts(instrument):
    run = make_run(policy="auto")
    journal = journal_of(take(run))
    do(journal.ask, request_for("1/review"))

    async def use():
        assert await sync_to_async(log_of)(run) == [
            "run.created",
            "run.started",
            "gate.passed",
            "effect.started",
        ]
        return await instrument.use()

    once(journal, use)
    assert instrument.uses == 1


def test_what_was_stored_though_the_answer_to_the_commit_was_lost_is_not_stored_twice(instrument):
    run = make_run(policy="auto")
    lease = take(run)
    journal = journal_of(lease)
    do(journal.ask, request_for("1/review"))
    once(journal, instrument.use, effect=LOCAL)
    do(journal.emit, "round.started", {}, round=1, key="1/started")
    pending = list(lease.pending)
    journal._store()
    lease.pending += pending
    journal._store()
    assert log_of(run)[2:] == ["gate.passed", "effect.started", "effect.finished", "round.started"]
    assert log_problems(run.pk) == []


def test_a_run_whose_pending_writes_cannot_be_stored_still_ends_with_its_reason(run):
    lease = take(run)

    def damaged(run):
        raise DataError("value too long")

    lease.pending.append(damaged)
    assert fail(lease, error="it broke") == "failed"
    run.refresh_from_db()
    assert run.error == "it broke"


@pytest.mark.parametrize("effect", [LOCAL, KEYED])
def test_a_started_effect_is_repeated_when_its_class_allows_it(run, instrument, effect):
    journal = crash_in(run, instrument, effect)
    assert once(journal, instrument.use, effect=effect) == {"mass": 0.5}
    assert instrument.uses == 2
    assert Effect.objects.get(run=run).tries == 2


def test_a_started_blind_effect_is_never_repeated_by_itself(run, instrument):
    journal = crash_in(run, instrument, BLIND)
    for _ in range(2):
        with pytest.raises(OutcomeUnknown, match="never reported back"):
            once(journal, instrument.use)
    assert instrument.uses == 1
    assert log_of(run).count("effect.unknown") == 1


@pytest.mark.parametrize(("begun", "now"), [(BLIND, LOCAL), (LOCAL, BLIND)])
def test_when_the_declared_class_changed_the_stricter_one_counts(run, instrument, begun, now):
    journal = crash_in(run, instrument, begun)
    with pytest.raises(OutcomeUnknown):
        once(journal, instrument.use, effect=now)
    assert instrument.uses == 1


def test_a_person_may_say_that_it_happened_with_this_result(run, instrument):
    journal = crash_in(run, instrument, BLIND)
    do(journal.settle, KEY, 1, {"mass": 0.7})
    assert once(journal, instrument.use) == {"mass": 0.7}
    assert instrument.uses == 1


def test_a_person_may_allow_another_attempt_with_a_row_of_its_own(run, instrument):
    journal = crash_in(run, instrument, BLIND)
    do(journal.settle, KEY, 1, None)
    assert once(journal, instrument.use, attempt=2) == {"mass": 0.5}
    assert list(Effect.objects.filter(run=run).order_by("attempt").values_list("attempt", "status")) == [
        (1, "not_happened"),
        (2, "done"),
    ]


def test_an_allowed_attempt_that_crashes_is_not_repeated_either(run, instrument):
    journal = crash_in(run, instrument, BLIND)
    do(journal.settle, KEY, 1, None)
    with pytest.raises(KeyboardInterrupt):
        once(journal, instrument.die, attempt=2)
    lose(run)
    with pytest.raises(OutcomeUnknown) as unknown:
        once(journal_of(take(run, "w3")), instrument.use, attempt=2)
    assert unknown.value.attempt == 2
    assert instrument.uses == 2


def test_an_effect_under_a_known_key_with_other_arguments_is_refused(run, instrument):
    journal = journal_of(take(run))
    once(journal, instrument.use)
    with pytest.raises(Refused, match="other arguments"):
        once(journal, instrument.use, request={"dose": 6})
    assert instrument.uses == 1


def test_a_worker_whose_lease_is_nearly_over_starts_nothing(run, instrument):
    lease = take(run)
    lease.until -= lease.seconds * 0.9
    with pytest.raises(Fenced, match="nothing more is started"):
        once(journal_of(lease), instrument.use)
    assert instrument.uses == 0
    assert not Effect.objects.exists()


def test_a_worker_that_lost_its_run_starts_nothing(run, instrument):
    stale = journal_of(take(run))
    lose(run)
    take(run, "w2")
    with pytest.raises(Fenced):
        once(stale, instrument.use)
    assert instrument.uses == 0


def test_a_worker_that_lost_its_run_during_the_call_files_nothing(run, instrument):
    stale = journal_of(take(run))

    async def stall():
        from asgiref.sync import sync_to_async

        await sync_to_async(lose)(run)
        await sync_to_async(take)(run, "w2")
        return {"mass": 9.9}

    with pytest.raises(Fenced):
        once(stale, stall)
    assert Effect.objects.get(run=run).status == "started"
    assert "effect.finished" not in log_of(run)


@pytest.mark.parametrize("wish", ["stop", "pause"])
def test_nothing_starts_once_a_person_asked_to_stop_or_pause(run, instrument, wish):
    journal = journal_of(take(run))
    Run.objects.filter(pk=run.pk).update(wish=wish)
    with pytest.raises(Stopped, match=f"asked to {wish}"):
        once(journal, instrument.use)
    assert instrument.uses == 0


def test_nothing_starts_while_the_process_shuts_down(run, instrument):
    lease = take(run)
    lease.yields = lambda: True
    with pytest.raises(Yielded):
        once(journal_of(lease), instrument.use)
    assert not Effect.objects.exists()


def test_a_result_is_filed_as_soon_as_the_database_is_back(transactional_db, run, instrument, monkeypatch):
    journal = journal_of(take(run))
    store, failures = journal._store, iter([OperationalError("disk is full")] * 2)

    def unsteady():
        fault = next(failures, None)
        if fault is not None:
            raise fault
        return store()

    monkeypatch.setattr(journal, "_store", unsteady)
    monkeypatch.setattr("agents.store.journal.FIRST_WAIT", 0.001)
    assert once(journal, instrument.use) == {"mass": 0.5}
    assert instrument.uses == 1
    assert Effect.objects.get(run=run).status == "done"


def test_a_result_is_not_waited_with_longer_than_the_lease(run, instrument, monkeypatch):
    lease = take(run)
    journal = journal_of(lease)

    def away():
        lease.is_lost = True
        raise OperationalError("disk is full")

    monkeypatch.setattr(journal, "_store", away)
    with pytest.raises(OperationalError):
        once(journal, instrument.use)
    assert Effect.objects.get(run=run).status == "started"


def test_no_tool_starts_when_its_start_cannot_be_written(run, instrument, monkeypatch):
    journal = journal_of(take(run))

    def full(*args, **kwargs):
        raise DatabaseError("database or disk is full")

    monkeypatch.setattr("agents.store.journal.insert", full)
    with pytest.raises(DatabaseError):
        once(journal, instrument.use)
    assert instrument.uses == 0
    assert Event.objects.filter(run=run, kind="effect.started").count() == 0


def test_the_log_of_effects_is_sound(run, instrument):
    journal = crash_in(run, instrument, BLIND)
    with pytest.raises(OutcomeUnknown):
        once(journal, instrument.use)
    do(journal.settle, KEY, 1, {"mass": 0.7})
    assert log_problems(run.pk) == []
    assert log_of(run)[-3:] == ["run.recovered", "effect.unknown", "effect.settled"]


def test_a_round_that_a_lost_worker_began_already_counts_once(run, instrument):
    lease = take(run)
    journal = journal_of(lease)
    do(journal.emit, "round.started", {"reasoner": "toy"}, round=1, key="1/started")
    assert do(journal.spent).rounds == 1
    with pytest.raises(KeyboardInterrupt):
        once(journal, instrument.die, effect=LOCAL)
    lose(run)

    after = journal_of(take(run, "w2"))
    do(after.emit, "round.started", {"reasoner": "toy"}, round=1, key="1/started")

    assert do(after.spent).rounds == 1
