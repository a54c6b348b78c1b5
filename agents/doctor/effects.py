"""The ledger of effects: nothing left half done without a word, and every result as the log has it."""

from collections.abc import Iterator

from django.db import transaction

from agents.core.canonical import canonical_json
from agents.core.lifecycle import RunStatus
from agents.doctor.logs import UNREADABLE, place_of
from agents.doctor.registry import Level, Look, Remark, check
from agents.models import Effect, Event, Run
from agents.store.log import append, lock_run

ADVICE = "The log has what really came back; restore the row from a backup."
OVER = (RunStatus.SUCCEEDED, RunStatus.CANCELLED)
"""Runs that nobody can drive any further."""


@check("effects", order=45)
def effects(look: Look) -> Iterator[Remark]:
    """Name effects that began and never ended, and results that are not the ones that were logged."""
    found = [*_unfinished(look), *_altered(look)]
    yield from found
    if not found:
        yield Remark(Level.OK, f"{Effect.objects.count():,} effects: none unfinished, every result as logged")


def _unfinished(look: Look) -> Iterator[Remark]:
    rows = Effect.objects.filter(status=Effect.Status.STARTED).select_related("run__study").order_by("pk")
    for effect in rows:
        run = effect.run
        if run.status == RunStatus.RUNNING or _failed_as_logged(effect):
            continue
        where = f"{place_of(run)}, {effect.key} attempt {effect.attempt}"
        since = f"began at {effect.started_at:%Y-%m-%d %H:%M:%S} UTC and was never seen to end"
        if run.status in OVER:
            mended = "marked as of unknown outcome" if look.repair and _mark(effect) else ""
            todo = "Find out whether it happened; manage.py doctor --repair marks it as unknown."
            yield Remark(Level.WARN, f"It {since}; the run is over.", where, todo, mended)
        else:
            next_ = "a person is asked" if effect.effect_class == "blind" else "it may safely run again"
            yield Remark(Level.WARN, f"It {since}; when the run goes on, {next_}.", where)


def _failed_as_logged(effect: Effect) -> bool:
    """True for the asking of a model that came to nothing: the last call of its round is logged with its fault."""
    round, _, what = effect.key.partition("/")
    if not (what.startswith("reason/") and round.isdecimal()):
        return False
    calls = Event.objects.filter(run_id=effect.run_id, kind="model.called", round=int(round)).order_by("-seq")
    last = calls.values_list("payload", flat=True).first()
    return bool(last and last.get("fault"))


@transaction.atomic
def _mark(effect: Effect) -> bool:
    run = lock_run(effect.run_id)
    still = Effect.objects.filter(pk=effect.pk, status=Effect.Status.STARTED)
    if run.status not in OVER or not still.update(status=Effect.Status.UNKNOWN):
        return False
    payload = {"key": effect.key, "attempt": effect.attempt}
    append(run, "effect.unknown", payload, key=f"{effect.key}/{effect.attempt}/unknown")
    return True


def _altered(look: Look) -> Iterator[Remark]:
    """A replayed effect returns what its row holds, else what the log says: a row that holds something must agree."""
    for run in Run.objects.select_related("study").order_by("created_at").iterator(chunk_size=200):
        look.progress(f"effects of {place_of(run)}")
        try:
            yield from _altered_in(run)
        except UNREADABLE as fault:
            yield Remark(
                Level.FAIL, f"Its effects cannot be read ({type(fault).__name__}).", place_of(run), ADVICE
            )


def _altered_in(run: Run) -> Iterator[Remark]:
    ended = Event.objects.filter(run=run, kind__in=("effect.finished", "effect.settled"))
    rows = {(row.key, row.attempt): row for row in Effect.objects.filter(run=run)}
    for seq, payload in ended.order_by("seq").values_list("seq", "payload").iterator(chunk_size=500):
        row = rows.get((payload["key"], payload["attempt"]))
        where = f"{place_of(run)}, {payload['key']} attempt {payload['attempt']}"
        if row is None:
            yield Remark(Level.FAIL, f"Event {seq} ends an effect that has no row.", where, ADVICE)
        elif row.result is not None and _said(row.result) != _said(payload.get("result")):
            yield Remark(Level.FAIL, f"Its result is not the one that event {seq} logged.", where, ADVICE)


def _said(result: object) -> str:
    return canonical_json(result or {})
