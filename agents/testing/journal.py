"""The journal of a run as a list in memory, with what a test needs to play the people and the crashes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agents.core.brief import Veto
from agents.core.budget import Budget, Spent, forbids_calls
from agents.core.errors import Conflict, Fenced, OutcomeUnknown, Refused, Stopped
from agents.core.events import check_payload
from agents.core.gates import Answer, GateRequest, Guidance, Verdict
from agents.core.policy import answer_by_policy, facts_of, judge, preset
from agents.core.ports import Earlier, ModelUsage
from agents.core.projection import apply_event
from agents.core.tools import Action, EffectClass, ToolResult


@dataclass(frozen=True)
class Noted:
    """An event as the double keeps it."""

    seq: int
    kind: str
    payload: dict[str, Any]
    round: int | None
    key: str | None


@dataclass
class _Effect:
    effect: EffectClass
    request: dict[str, Any]
    status: str = "started"
    result: dict[str, Any] | None = None


class MemoryJournal:
    """Implements the ``Journal`` port.

    ``policy`` answers gates as in a real run; ``answer`` plays a person. ``is_fenced`` plays a lost lease,
    ``wish`` ("stop" or "pause") a person's wish. ``state`` is the fold of the events.
    """

    def __init__(
        self, *, policy: str = "every_step", budget: Budget | None = None, run_id: str = "run-1"
    ) -> None:
        self.run_id = run_id
        self.events: list[Noted] = []
        self.gates: dict[str, GateRequest] = {}
        self.state: dict[str, Any] = {}
        self.thoughts: list[str] = []
        self.is_fenced = False
        self.wish = ""
        self._policy = policy
        self._budget = budget or Budget()
        self._seqs: dict[str, int] = {}
        self._answers: dict[str, Answer] = {}
        self._effects: dict[tuple[str, int], _Effect] = {}

    # What a test does

    def kinds(self) -> list[str]:
        """Return the kinds of the events in order."""
        return [event.kind for event in self.events]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the payloads of the events of ``kind``."""
        return [event.payload for event in self.events if event.kind == kind]

    def has(self, key: str) -> bool:
        """Return True when an event with ``key`` was emitted."""
        return key in self._seqs

    def open_gates(self) -> list[GateRequest]:
        """Return the gates that wait for people, oldest first."""
        return [request for key, request in self.gates.items() if key not in self._answers]

    def answer(self, key: str, answer: Answer) -> None:
        """Answer a gate as a person; raises ``Conflict`` when it has an answer."""
        if key in self._answers:
            raise Conflict(f"{key} was answered by {self._answers[key].by}")
        request = self.gates[key]
        self._answers[key] = answer
        payload = {"gate": key, "verdict": str(answer.verdict), "by": answer.by, "note": answer.note}
        self.append("review.decided", payload, round=request.round, key=f"{key}/decided")

    def guide(self, text: str, *, by: str = "ana") -> int:
        """Give guidance as a person and return its event's number."""
        return self.append("guidance.given", {"text": text, "by": by})

    def check(self) -> None:
        """Raise ``Fenced`` when the lease is lost."""
        if self.is_fenced:
            raise Fenced("another worker drives the run now")

    # The port

    async def emit(
        self, kind: str, payload: dict[str, Any], *, round: int | None = None, key: str | None = None
    ) -> None:
        """Append an event at once; with ``key``, once."""
        self.check()
        self.append(kind, payload, round=round, key=key)

    async def store(self) -> None:
        """Do nothing: events are appended at once."""

    def append(
        self, kind: str, payload: dict[str, Any], *, round: int | None = None, key: str | None = None
    ) -> int:
        """Append an event as a part of another change: no lease is asked for."""
        if key is not None and key in self._seqs:
            return self._seqs[key]
        payload = check_payload(kind, payload)
        self.events.append(Noted(len(self.events) + 1, kind, payload, round, key))
        if key is not None:
            self._seqs[key] = len(self.events)
        self.state = apply_event(self.state, kind=kind, payload=payload, round=round)
        return len(self.events)

    async def once(
        self,
        key: str,
        call: Callable[[], Awaitable[dict[str, Any]]],
        *,
        effect: EffectClass,
        request: dict[str, Any],
        attempt: int = 1,
    ) -> dict[str, Any]:
        """Do an effect at most once."""
        known = self._start(key, effect, request, attempt)
        if known.status == "done":
            return known.result or {}
        if known.status != "started":
            raise OutcomeUnknown(f"{key} (attempt {attempt}) never reported back", key=key, attempt=attempt)
        result = await call()
        self.check()
        known.status, known.result = "done", result
        self._note("effect.finished", key, attempt, "finished", result=result)
        return result

    def _start(self, key: str, effect: EffectClass, request: dict[str, Any], attempt: int) -> _Effect:
        self.check()
        self._obey()
        known = self._effects.get((key, attempt))
        if known is None:
            known = self._effects[key, attempt] = _Effect(effect, request)
            self._note("effect.started", key, attempt, "started", effect=str(effect), request=request)
        elif known.request != request:
            raise Refused(
                f"{key} (attempt {attempt}) was begun with other arguments than those asked for now"
            )
        elif known.status == "started" and EffectClass.BLIND in (effect, known.effect):
            known.status = "unknown"
            self._note("effect.unknown", key, attempt, "unknown")
        return known

    def _obey(self) -> None:
        if self.wish:
            raise Stopped(f"the run was asked to {self.wish}")

    def _note(self, kind: str, key: str, attempt: int, what: str, **more: Any) -> None:
        head = key.partition("/")[0]
        round = int(head) if head.isdigit() else None
        payload = {"key": key, "attempt": attempt, **more}
        self.append(kind, payload, round=round, key=f"{key}/{attempt}/{what}")

    async def heed_stop(self) -> None:
        """Raise ``Stopped`` when the run was asked to stop."""
        if self.wish == "stop":
            self._obey()

    async def ask(self, request: GateRequest) -> Answer | None:
        """Open the gate once and return its answer."""
        self.check()
        self._obey()
        if request.key not in self.gates:
            self._open(request)
        return self._answers.get(request.key)

    def _open(self, request: GateRequest) -> None:
        self.gates[request.key] = request
        facts = facts_of(
            request,
            hypothesis=self.state.get("hypothesis"),
            budget=self._budget,
            spent=Spent.model_validate(self.state.get("spent", {})),
        )
        answer = answer_by_policy(judge(preset(self._policy), facts), request, at="")
        if answer is not None:
            self._answers[request.key] = answer
            payload = {"gate": request.key, "policy": self._policy, "title": request.title}
            self.append("gate.passed", payload, round=request.round, key=f"{request.key}/passed")
            return
        payload = {"gate": request.key, "kind": str(request.kind), "title": request.title}
        self.append("review.opened", payload, round=request.round, key=f"{request.key}/opened")

    async def guidance_after(self, seq: int) -> list[Guidance]:
        """Return guidance given after event ``seq``."""
        given = [event for event in self.events if event.kind == "guidance.given" and event.seq > seq]
        return [
            Guidance(seq=event.seq, text=event.payload["text"], by=event.payload["by"]) for event in given
        ]

    async def settle(self, key: str, attempt: int, result: dict[str, Any] | None) -> None:
        """Close an effect of unknown outcome."""
        self.check()
        known = self._effects[key, attempt]
        known.status, known.result = ("done" if result is not None else "not_happened"), result
        self._note("effect.settled", key, attempt, "settled", happened=result is not None, result=result)

    async def earlier(self, action: Action, *, version: str) -> Earlier | None:
        """Return the newest result that the tool gave for exactly ``action``."""
        asked = action.model_dump(mode="json")
        for (key, _), known in reversed(self._effects.items()):
            if key.endswith(f"/act/{action.tool}") and known.request == asked and known.result:
                result = ToolResult.model_validate(known.result)
                if result.success and result.version == version and not result.substitute:
                    return Earlier(result=result, at="2026-01-02T03:04:05+00:00")
        return None

    async def vetoes(self) -> list[Veto]:
        """Return every action that was refused, oldest first."""
        found = []
        for key, answer in self._answers.items():
            content = self.gates[key].content
            action = content.get("action") or (content.get("proposal") or {}).get("action")
            if answer.verdict is Verdict.VETO and action:
                refused = Action.model_validate(action)
                found.append(
                    Veto(
                        round=self.gates[key].round,
                        action=refused,
                        reason_code=answer.reason_code,
                        text=answer.note,
                        by=answer.by,
                        at=answer.at,
                    )
                )
        return found

    async def think(self, text: str) -> None:
        """Keep what was shown."""
        self.check()
        self.thoughts.append(text)

    async def spent(self) -> Spent:
        """Return what the events add up to."""
        return Spent.model_validate(self.state.get("spent", {}))

    async def budget(self) -> Budget:
        """Return the limits, with the last change of them."""
        changed = self.of("budget.changed")
        return Budget.model_validate(changed[-1]["budget"]) if changed else self._budget

    async def charge(self, usage: ModelUsage, *, round: int) -> None:
        """Record a model call; raise ``Refused`` when that used up a budget."""
        await self.emit("model.called", usage.model_dump(mode="json"), round=round)
        if forbids_calls(await self.budget(), await self.spent()):
            raise Refused("A budget of the run is used up; no further model call is made.")
