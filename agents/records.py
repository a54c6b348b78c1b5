"""The records of a run: whatever a prompt left out is had in one call, with its place."""

import json
from typing import Any
from uuid import UUID

from agents.core.findings import Finding as FindingValue
from agents.core.records import Record, Reference, about, best_places, reference_in
from agents.core.study import StudyProtocol
from agents.models import Event, Finding, Run
from agents.store.findings import as_value

OLDEST = 2000
"""Rounds that a search by words looks at, newest first; a reference reaches every round."""


def records_of(run_id: UUID | str, what: str, *, limit: int = 3) -> list[Record]:
    """Return the records of the run that ``what`` asks for: the one it names, or those its words fit best.

    ``what`` is a reference (``R7``, ``F3``, ``D12``, ``C2``), a reference with words, or words alone. A fork has
    the rounds of its parent up to where it left it. What names nothing is read as words.
    """
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        return []
    reference = reference_in(what)
    record = _named(run, reference) if reference is not None else None
    if reference is not None and record is not None:
        return [about(record, reference.about)]
    return _by_words(run, what, limit)


def _named(run: Run, reference: Reference) -> Record | None:
    if reference.kind == "round":
        return _round(run, reference.number)
    if reference.kind == "finding":
        row = Finding.objects.filter(run=run, number=reference.number).first()
        return _finding(reference, row) if row else None
    protocol = StudyProtocol.model_validate(run.protocol)
    if reference.kind == "constraint":
        return _constraint(reference, protocol)
    return _item(reference, protocol)


def _round(run: Run, number: int) -> Record | None:
    """Return the record of a round, from this run's log or that of the run it was forked from."""
    for log, last in _logs(run):
        done = _completed(log, last).filter(round=number).order_by("-seq").first()
        if done is not None:
            return _round_record(done, _data(log, done))
    return None


def _logs(run: Run) -> list[tuple[Run, int | None]]:
    """Return the run and its ancestors, each with the last event that counts."""
    logs: list[tuple[Run, int | None]] = [(run, None)]
    while run.parent is not None and run.forked_at is not None:
        logs.append((run.parent, run.forked_at))
        run = run.parent
    return logs


def _completed(run: Run, last: int | None) -> Any:
    rows = Event.objects.filter(run=run, kind="round.completed")
    return rows if last is None else rows.filter(seq__lte=last)


def _data(run: Run, done: Event) -> dict[str, Any]:
    """Return what the action of a round brought: a tool's result, or what a person entered."""
    rows = Event.objects.filter(run=run, round=done.round, seq__lt=done.seq)
    result = rows.filter(kind="effect.finished", key__contains="/act/").order_by("-seq").first()
    if result is not None:
        return dict((result.payload["result"] or {}).get("data") or {})
    filed = rows.filter(kind="experiment.filed").order_by("-seq").first()
    return {"experiment": filed.payload["experiment"]} if filed is not None else {}


def _round_record(done: Event, data: dict[str, Any]) -> Record:
    action, stance = done.payload["action"], done.payload.get("stance", "")
    arguments = ", ".join(f"{name}={value}" for name, value in action["arguments"].items())
    first = f"{action['tool']}({arguments}) → {done.payload['outcome']}" + (f" ({stance})" if stance else "")
    return Record(
        reference=f"R{done.round}",
        text="\n".join([first, *_lines(data)]),
        place=f"event {done.seq}",
        round=done.round,
        event=done.seq,
    )


def _lines(data: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for name, value in data.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines += f"{name}: {text}".splitlines()
    return lines


def _finding(reference: Reference, row: Finding) -> Record:
    value: FindingValue = as_value(row)
    own = [item for item in value.evidence if item.get("round") and not item.get("run")]
    rounds = ", ".join(f"R{item['round']} {item.get('stance', '')}".strip() for item in own)
    state = f"{value.status}, confidence {value.confidence}, for {value.support}, against {value.against}"
    told = value.text if value.status == "active" else f"NOT A FACT ({value.status}): {value.text}"
    text = f"{told}\n{state}" + (f"\nevidence: {rounds}" if rounds else "")
    return Record(reference=reference.name, text=text, place=f"version {value.version}", round=value.round)


def _item(reference: Reference, protocol: StudyProtocol) -> Record | None:
    if not 1 <= reference.number <= len(protocol.digest):
        return None
    item = protocol.digest[reference.number - 1]
    return _quoted(reference, item.text, item.source)


def _constraint(reference: Reference, protocol: StudyProtocol) -> Record | None:
    found = next((c for c in protocol.constraints if c.id.casefold() == reference.name.casefold()), None)
    return _quoted(reference, found.text, found.source) if found else None


def _quoted(reference: Reference, text: str, source: Any) -> Record:
    quote = f"\n“{source.quote}”" if source.quote and source.quote != text else ""
    unsure = "" if source.verified or source.origin != "document" else " (unverified)"
    page = f", page {source.page}" if source.page is not None else ""
    name = source.document or source.origin
    return Record(reference=reference.name, text=text + quote, place=f"{name}{page}{unsure}")


def all_records(run: Run) -> list[Record]:
    """Return the newest ``OLDEST`` rounds of the run and, for a fork, of its parents, oldest first, in full."""
    records: dict[int, Record] = {}
    for log, last in _logs(run):
        for done in _completed(log, last).order_by("-seq")[:OLDEST]:
            if done.round is not None and done.round not in records:
                records[done.round] = _round_record(done, {})
        for event in _results(log, last):
            known = records.get(event.round or 0)
            if known is not None and known.event is not None and event.seq < known.event:
                data = _lines((event.payload["result"] or {}).get("data") or {})
                records[known.round or 0] = known.model_copy(
                    update={"text": "\n".join([known.text.splitlines()[0], *data])}
                )
    return [records[number] for number in sorted(records)]


def _by_words(run: Run, words: str, limit: int) -> list[Record]:
    rows = all_records(run)
    places = best_places([record.text for record in rows], words, limit)
    return [about(rows[place], words) for place in places]


def _results(run: Run, last: int | None) -> Any:
    rows = Event.objects.filter(run=run, kind="effect.finished", key__contains="/act/")
    return (rows if last is None else rows.filter(seq__lte=last)).order_by("seq")
