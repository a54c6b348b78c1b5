"""What each step of a run was sent, section by section, beside what a loop that re-reads would have sent."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from agents.core.science import Value
from agents.core.study import StudyProtocol
from agents.core.tokens import estimate_tokens
from agents.history import documents_of
from agents.models import Event, Run
from agents.queries import EVENTS_AT_ONCE
from agents.records import all_records
from agents.store.journal import spent_of

STABLE = ("schema", "role", "tools", "format", "goal", "constraints")
"""Sections that any loop sends: without them there is no answer in form."""


class SentStep(Value):
    """One call of the model. ``sections`` are tokens by name, in the order of the prompt; ``left_out`` counts the
    lines that a section had to leave to the record, by name. ``re_read`` is what a loop that sends documents and
    history in full would have sent at this very step, by the same estimate as ``sections``; 0 for other roles.
    """

    seq: int
    round: int
    role: str
    fault: str = ""
    prompt_tokens: int
    cached_tokens: int = 0
    completion_tokens: int = 0
    is_estimated: bool = False
    sections: dict[str, int] = {}
    left_out: dict[str, int] = {}
    re_read: int = 0

    @property
    def uncached_tokens(self) -> int:
        """Tokens that the provider had to read afresh."""
        return max(0, self.prompt_tokens - self.cached_tokens)


def steps_sent(run: Run, *, after: int = 0, limit: int = EVENTS_AT_ONCE) -> list[SentStep]:
    """Return the model calls of ``run`` after event ``after``, oldest first, at most ``limit``."""
    calls = Event.objects.filter(run=run, kind="model.called", seq__gt=after).order_by("seq")[:limit]
    re_read = _ReRead(run)
    return [_step(event, re_read) for event in calls]


def _step(event: Event, re_read: "_ReRead") -> SentStep:
    payload = event.payload
    is_turn = payload["role"] == "reason"
    return SentStep(
        seq=event.seq,
        round=event.round or 0,
        role=payload["role"],
        fault=payload.get("fault", ""),
        prompt_tokens=payload["prompt_tokens"],
        cached_tokens=payload.get("cached_tokens", 0),
        completion_tokens=payload["completion_tokens"],
        is_estimated=payload.get("estimated", False),
        sections=payload.get("sections", {}),
        left_out=payload.get("left_out", {}),
        re_read=re_read.at(event.round or 0, payload.get("sections", {})) if is_turn else 0,
    )


class _ReRead:
    """Counts what re-reading costs: documents once a prompt, every earlier round, and the stable sections."""

    def __init__(self, run: Run) -> None:
        protocol = StudyProtocol.model_validate(run.protocol)
        self._documents = sum(estimate_tokens(source.text) for source in documents_of(protocol))
        records = all_records(run)
        self._rounds = [record.round or 0 for record in records]
        self._sums = [0, *accumulate(estimate_tokens(record.text) for record in records)]

    def at(self, round: int, sections: dict[str, int]) -> int:
        stable = sum(sections.get(name, 0) for name in STABLE)
        return stable + self._documents + self._sums[bisect_left(self._rounds, round)]


def compared(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """Return each run as a row of a comparison: how it remembers, what it cost, what came of it."""
    rows = []
    for run in runs:
        spent, state = spent_of(run), run.state or {}
        best = state.get("best") or {}
        calls = Event.objects.filter(run=run, kind="model.called", payload__role="reason")
        largest = max(calls.values_list("payload__prompt_tokens", flat=True), default=0)
        rows.append(
            {
                "run": f"#{run.number}",
                "memory": run.protocol.get("memory", "distilled"),
                "status": run.status,
                "rounds": spent.rounds,
                "experiments": spent.experiments,
                "model calls": spent.calls,
                "prompt tokens": spent.prompt_tokens,
                "of them cached": spent.cached_tokens,
                "largest prompt": largest,
                "completion tokens": spent.completion_tokens,
                "money": spent.money,
                "best": best.get("value"),
                "findings": state.get("finding_count", 0),
            }
        )
    return rows
