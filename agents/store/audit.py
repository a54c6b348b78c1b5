"""Reads a run's log from its first event and says what is wrong with it; changes nothing."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from agents.core.projection import apply_event, empty_state
from agents.models import Event, Run
from agents.store.log import chain_value

BATCH = 500
LOOKS = 3


def log_problems(run_id: UUID | str, *, with_state: bool = True) -> list[str]:
    """Return what is wrong with the log of a run, as sentences; empty when nothing is.

    Checked: the numbers are dense from 1, each chain value follows from the event and the one before, and the
    run's row (``seq``, ``head``, ``state``, ``spent``) is what the log folds to. A run that writes meanwhile is
    looked at again. Without ``with_state`` only what no fold can mend: the events, ``seq`` and ``head``.
    """
    problems: list[str] = []
    for _ in range(LOOKS):
        run = Run.objects.get(pk=run_id)
        problems = _problems(run, with_state=with_state)
        if not problems or Run.objects.filter(pk=run_id, seq=run.seq).exists():
            break
    return problems


def _problems(run: Run, *, with_state: bool) -> list[str]:
    problems: list[str] = []
    state: dict[str, Any] = {}
    head, seq = "", 0
    for event in _events(run.pk):
        seq += 1
        if event.seq != seq:
            problems.append(f"Event {seq} is missing: the next one in the log is {event.seq}.")
            seq = event.seq
        expected = chain_value(
            head,
            seq=event.seq,
            kind=event.kind,
            round=event.round,
            key=event.key,
            payload=event.payload,
            at=event.at,
        )
        if event.chain != expected:
            problems.append(
                f"Event {event.seq} ({event.kind}) is not what was written: its chain value does not fit."
            )
        head = event.chain
        if with_state and not problems:
            # What was altered may be no payload that can be folded.
            state = apply_event(state, kind=event.kind, payload=event.payload, round=event.round)
    problems += _anchor_problems(run, seq=seq, head=head)
    return problems + (_state_problems(run, state) if with_state and not problems else [])


def folded_state(run_id: UUID | str) -> dict[str, Any]:
    """Return the state of a run as its log gives it: what ``Run.state`` must hold."""
    state: dict[str, Any] = {}
    for event in _events(run_id):
        state = apply_event(state, kind=event.kind, payload=event.payload, round=event.round)
    return state


def _events(run_id: UUID | str) -> Iterator[Event]:
    return Event.objects.filter(run_id=run_id).order_by("seq").iterator(chunk_size=BATCH)


def _anchor_problems(run: Run, *, seq: int, head: str) -> list[str]:
    problems = []
    if run.seq != seq:
        problems.append(f"The run counts {run.seq} events; its log ends with {seq}.")
    if run.head != head:
        problems.append("The run's chain value is not that of the last event in its log.")
    return problems


def _state_problems(run: Run, state: dict[str, Any]) -> list[str]:
    expected = {**empty_state(), **state}
    shown = {**empty_state(), **run.state}
    wrong = [name for name in expected if shown.get(name) != expected[name]]
    if run.spent != expected["spent"]:
        wrong.append("spent (column)")
    return [f"The run shows another state than its log gives: {', '.join(wrong)}."] if wrong else []
