"""The journal of one run on the ORM, under a lease: every write carries the lease's epoch."""

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from django.db import InterfaceError, OperationalError, close_old_connections, transaction
from django.utils import timezone

from agents.core.brief import Veto
from agents.core.budget import Budget, Spent, forbids_calls
from agents.core.errors import Damaged, OutcomeUnknown, Refused, Stopped
from agents.core.events import check_payload
from agents.core.faults import fault_point
from agents.core.gates import Answer, GateRequest, Guidance, Verdict
from agents.core.policy import Judgement, answer_by_policy
from agents.core.ports import Earlier, ModelUsage
from agents.core.projection import apply_event
from agents.core.study import StudyProtocol
from agents.core.text import clean_value
from agents.core.tools import Action, EffectClass
from agents.models import Effect, Event, Run, Thought
from agents.signals import run_nudged
from agents.store import trouble
from agents.store.bridge import in_database
from agents.store.earlier import earlier_result
from agents.store.gates import answer_of, ask_gate, find_gate, pass_gate, vetoes_of
from agents.store.lease import Lease, Note
from agents.store.log import look_at_run
from agents.store.policy import judge_gate, table_of
from agents.store.results import result_of
from agents.store.rows import insert, read, read_values, save, update

THINK_EVERY = 0.25
"""Seconds between two writes of what a model is saying."""

_EFFECT = tuple(field.attname for field in Effect._meta.concrete_fields)
_ONE_ATTEMPT = ("run_id", "key", "attempt")

FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0
"""Seconds between two tries to file a result while the database is away."""


class OrmJournal:
    """Implements the ``Journal`` port for the run that ``lease`` covers."""

    def __init__(self, lease: Lease, protocol: StudyProtocol) -> None:
        self._lease = lease
        self._protocol = protocol
        self.run_id = str(lease.run_id)
        self._said: list[str] = []
        self._said_at = 0.0
        self._guidance: tuple[int, int, list[Guidance]] = (-1, 0, [])
        self._vetoes: list[Veto] | None = None
        self._new_keys: set[str] = set()
        self._new_from: int | None = None
        self._budget, self._budget_seq, self._budget_foreign = protocol.budget, 0, -1
        self._calls = 0

    async def emit(
        self, kind: str, payload: dict[str, Any], *, round: int | None = None, key: str | None = None
    ) -> None:
        """Note an event; see the port."""
        self._lease.pending.append(Note(kind, check_payload(kind, payload), round, key, is_checked=True))

    async def store(self) -> None:
        """Store what is noted; see the port."""
        await in_database(self._store)

    def _store(self) -> None:
        with self._lease.writing():
            pass

    async def once(
        self,
        key: str,
        call: Callable[[], Awaitable[dict[str, Any]]],
        *,
        effect: EffectClass,
        request: dict[str, Any],
        attempt: int = 1,
    ) -> dict[str, Any]:
        """Do an effect at most once; see the port."""
        request = clean_value(request)
        self._lease.give_way()
        self._lease.check()
        fault_point("before_ledger")
        row = await in_database(self._start, key, effect, request, attempt)
        if row.status == Effect.Status.DONE:
            return await in_database(result_of, row)
        if row.status != Effect.Status.STARTED:
            raise OutcomeUnknown(
                f"{key} (attempt {attempt}) started at {row.started_at:%Y-%m-%d %H:%M:%S} UTC and never reported "
                "back; it is not repeated without a person's word.",
                key=key,
                attempt=attempt,
            )
        fault_point("after_ledger")
        self._lease.check()
        result: dict[str, Any] = clean_value(await call())
        fault_point("after_effect")
        self._lease.pending += [
            functools.partial(self._close, key, attempt, Effect.Status.DONE),
            _event_of("effect.finished", key, attempt, "finished", result=result),
        ]
        if effect is not EffectClass.LOCAL:
            await self._store_surely()
        fault_point("after_result")
        return result

    async def _store_surely(self) -> None:
        """Store a result. It is known only here, so a database that is away is waited for while the lease lasts.

        What changed nothing outside is stored with the next effect, gate or checkpoint instead: it may simply
        be done again.
        """
        wait = FIRST_WAIT
        while True:
            try:
                await self.store()
                if wait > FIRST_WAIT:
                    with suppress(OperationalError):
                        await in_database(trouble.look)
                return
            except (OperationalError, InterfaceError) as fault:
                trouble.note(fault)
                if self._lease.is_over:
                    raise
                await in_database(close_old_connections)
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)

    def _start(self, key: str, effect: EffectClass, request: dict[str, Any], attempt: int) -> Effect:
        """Return the effect's row: started (go on and call), done, or of unknown outcome."""
        with self._lease.writing(obey_wish=True) as run:
            fresh = Effect(
                run_id=run.pk,
                key=key,
                tool=str(request["tool"])[:80] if "/act/" in key and "tool" in request else None,
                attempt=attempt,
                effect_class=effect,
                epoch=self._lease.epoch,
                request=request,
                started_at=timezone.now(),
            )
            if insert(fresh, unless=_ONE_ATTEMPT):
                _event_of("effect.started", key, attempt, "started", effect=str(effect), request=request)(run)
                return fresh
            return self._again(run, self._row(key, attempt), effect, request)

    def _again(self, run: Run, row: Effect, effect: EffectClass, request: dict[str, Any]) -> Effect:
        """Return the row of an effect that was begun before, counted once more when it was not finished."""
        if row.request != request:
            raise Refused(
                f"{row.key} (attempt {row.attempt}) was begun with other arguments than those asked for now; "
                "nothing was run. The run's log shows both."
            )
        if row.status == Effect.Status.STARTED:
            # As it was begun or as it is declared now, whichever is stricter.
            if EffectClass.BLIND in (effect, row.effect_class):
                row.status = Effect.Status.UNKNOWN
                _event_of("effect.unknown", row.key, row.attempt, "unknown")(run)
            row.tries, row.epoch = row.tries + 1, self._lease.epoch
            save(row, ("status", "tries", "epoch"))
        return row

    def _row(self, key: str, attempt: int) -> Effect:
        row = read(Effect, _EFFECT, run_id=self._lease.run_id, key=key, attempt=attempt)
        if row is None:
            raise self._missing(key, attempt)
        return row

    def _missing(self, key: str, attempt: int) -> Damaged:
        return Damaged(f"The ledger of run {self.run_id} has no row for {key} (attempt {attempt}).")

    def _close(self, key: str, attempt: int, status: Effect.Status, run: Run) -> None:
        """Close the row; what came of the effect is in the event that the caller logs with it."""
        changes = {"status": status, "finished_at": timezone.now()}
        if not update(Effect, changes, run_id=run.pk, key=key, attempt=attempt):
            raise self._missing(key, attempt)

    async def settle(self, key: str, attempt: int, result: dict[str, Any] | None) -> None:
        """Close an effect of unknown outcome; see the port."""
        await in_database(self._settle, key, attempt, result)

    def _settle(self, key: str, attempt: int, result: dict[str, Any] | None) -> None:
        status = Effect.Status.NOT_HAPPENED if result is None else Effect.Status.DONE
        happened = result is not None
        with self._lease.writing() as run:
            self._close(key, attempt, status, run)
            _event_of("effect.settled", key, attempt, "settled", happened=happened, result=result)(run)

    async def heed_stop(self) -> None:
        """Look whether a person has stopped the run; see the port. A database that is away says nothing."""
        with suppress(OperationalError, InterfaceError):
            wish = await in_database(self._wish)
            if wish == "stop":
                raise Stopped(f"run {self.run_id} was asked to stop")

    def _wish(self) -> str:
        return Run.objects.values_list("wish", flat=True).get(pk=self.run_id)

    async def ask(self, request: GateRequest) -> Answer | None:
        """Open the gate once and return its answer; see the port."""
        answer = await in_database(self._ask, request)
        fault_point("after_gate")
        return answer

    def _ask(self, request: GateRequest) -> Answer | None:
        foreign = self._lease.foreign
        run = look_at_run(self._lease.run_id, epoch=self._lease.epoch)
        known = find_gate(self.run_id, request.key)
        if known is not None and (answer := answer_of(known)) is not None:
            return answer
        if known is None:
            table = table_of(run.policy, run.policy_table)
            judgement, _ = judge_gate(self.run_id, table, self._state(), request, self._budget_at(run.seq))
            if judgement.then == "allow":
                # Nobody is asked, so the gate is stored with the step that it lets through.
                answer = answer_by_policy(judgement, request, at=timezone.now().isoformat())
                assert answer is not None, "what is allowed has an answer"
                passed = functools.partial(self._pass, request, judgement, answer, foreign)
                self._lease.pending.append(passed)
                return answer
        with self._lease.writing(obey_wish=True) as run:
            answer = ask_gate(run, request, self._budget_at(run.seq))
        if answer is not None and answer.verdict is Verdict.VETO:
            self._vetoes = None  # the policy refused it while the run is driven
        return answer

    def _pass(
        self, request: GateRequest, judgement: Judgement, answer: Answer, foreign: int, run: Run
    ) -> None:
        pass_gate(run, request, judgement, answer, may_have_changed=self._lease.foreign != foreign)

    def _state(self) -> dict[str, Any]:
        """Return the run's state, noted events among it."""
        run = self._lease.seen
        if run is None or self._new_from is None:
            row = read(Run, ("id", "state", "round"), id=self._lease.run_id)
            assert row is not None
            # No event of a later round is stored, so none that is noted from now on can be stored already.
            self._new_from, self._new_keys = row.round + 1, set()
            run = run or row
        state: dict[str, Any] = run.state
        notes = [note for note in self._lease.pending if isinstance(note, Note)]
        stored = self._stored(
            {note.key for note in notes if note.key is not None and self._is_doubtful(note)}
        )
        for note in notes:
            if note.key not in stored:
                state = apply_event(state, kind=note.kind, payload=note.payload, round=note.round)
        return state

    async def guidance_after(self, seq: int) -> list[Guidance]:
        """Return guidance given after event ``seq``, looked up when somebody else wrote since the last look."""
        foreign, first, known = self._guidance
        if foreign != self._lease.foreign or seq < first:
            known = await in_database(self._read_guidance, seq)
            self._guidance = (self._lease.foreign, seq, known)
        return [item for item in known if item.seq > seq]

    def _read_guidance(self, seq: int) -> list[Guidance]:
        rows = Event.objects.filter(run_id=self._lease.run_id, kind="guidance.given", seq__gt=seq).order_by(
            "seq"
        )
        return [Guidance(seq=row.seq, text=row.payload["text"], by=row.payload["by"]) for row in rows]

    async def earlier(self, action: Action, *, version: str) -> Earlier | None:
        """Return what the tool gave before in the study; see the port."""
        return await in_database(earlier_result, self._protocol.study_id, action, version=version)

    async def vetoes(self) -> list[Veto]:
        """Return every refused action of this run. While it is driven there is no new one: a veto ends a wait."""
        if self._vetoes is None:
            self._vetoes = await in_database(vetoes_of, self._lease.run_id)
        return list(self._vetoes)

    async def think(self, text: str) -> None:
        """Show what the model is saying, at most every quarter of a second."""
        if not text and self._said == [""]:
            return
        if not text:
            self._said = []
        self._said.append(text)
        now = time.monotonic()
        if now - self._said_at >= THINK_EVERY or not text:
            self._said_at = now
            await in_database(self._think, "".join(self._said))

    def _think(self, text: str) -> None:
        with self._lease.writing():
            said = {"text": text[-20_000:], "updated_at": timezone.now()}
            if not update(Thought, said, run_id=self._lease.run_id):
                insert(Thought(run_id=self._lease.run_id, **said))
            transaction.on_commit(lambda: run_nudged.send(sender=Run, run_id=self._lease.run_id))

    async def spent(self) -> Spent:
        """Return what the run has used, noted events among it."""
        return await in_database(self._spent)

    def _spent(self) -> Spent:
        return _spent_of(self._state().get("spent", {}))

    def _is_doubtful(self, note: Note) -> bool:
        """Return True when the event may be stored already: after a lost worker its round is noted once more."""
        return note.round is None or self._new_from is None or note.round < self._new_from

    def _stored(self, keys: set[str]) -> set[str]:
        """Return those of ``keys`` whose event is stored."""
        unsure = keys - self._new_keys
        stored: set[str] = set()
        if unsure:
            rows = Event.objects.filter(run_id=self._lease.run_id, key__in=unsure)
            stored = {str(key) for key in rows.values_list("key", flat=True)}
        self._new_keys = (self._new_keys & keys) | (unsure - stored)
        return stored

    async def budget(self) -> Budget:
        """Return the limits as they stand now; see the port."""
        return await in_database(self._current_budget)

    def _current_budget(self) -> Budget:
        now = read_values(Run, ("seq",), id=self._lease.run_id)
        return self._budget_at(now[0] if now else -1)

    def _budget_at(self, seq: int) -> Budget:
        """Return the limits that stand now, when the run's last event is ``seq``."""
        run, foreign = self._lease.seen, self._lease.foreign
        if run is not None and seq == run.seq and foreign == self._budget_foreign:
            # Nobody but us wrote to the log since it was looked through.
            return self._budget
        looked = self._budget_seq
        changed = Event.objects.filter(run_id=self._lease.run_id, kind="budget.changed", seq__gt=looked)
        last = changed.order_by("seq").values_list("seq", "payload").last()
        if last is not None:
            self._budget = Budget.model_validate(last[1]["budget"])
        # Whatever was logged up to our own last write has been looked through now.
        self._budget_seq = max(looked, last[0] if last else 0, run.seq if run else 0)
        self._budget_foreign = foreign if run is not None else -1
        return self._budget

    async def charge(self, usage: ModelUsage, *, round: int) -> None:
        """Record a model call; raise ``Refused`` when that used up a budget.

        It is stored with the answer of the call, or before the call after it.
        """
        if any(isinstance(note, Note) and note.kind == "model.called" for note in self._lease.pending):
            await self.store()
        # A call that is made again is paid again, so the key names this one: the drive, and its place in it.
        self._calls += 1
        key = f"{round}/model/{self._lease.epoch}.{self._calls}"
        await self.emit("model.called", usage.model_dump(mode="json"), round=round, key=key)
        if forbids_calls(await self.budget(), await self.spent()):
            raise Refused("A budget of the run is used up; no further model call is made.")


def spent_of(run: Run) -> Spent:
    """Return what ``run`` has used: counts from its log; seconds of model calls and tools."""
    return _spent_of(run.spent)


def _spent_of(spent: dict[str, Any]) -> Spent:
    return Spent.model_validate({name: value for name, value in spent.items() if name in Spent.model_fields})


def _event_of(kind: str, key: str, attempt: int, what: str, **more: Any) -> Note:
    head = key.partition("/")[0]
    round = int(head) if head.isdigit() else None
    return Note(kind, {"key": key, "attempt": attempt, **more}, round, f"{key}/{attempt}/{what}")


__all__ = ["OrmJournal", "spent_of"]
