"""The record of decisions, held three ways against itself: gate, decision and log must say the same."""

from collections.abc import Callable, Iterator
from typing import Any

from agents.core.canonical import canonical_json, digest_of
from agents.core.gates import GateKind
from agents.doctor.logs import UNREADABLE, place_of
from agents.doctor.registry import Level, Look, Remark, check
from agents.models import Event, Gate, Run
from reviews.models import Decision, RecordEntry, Review
from reviews.opening import new_review
from reviews.record import guards
from reviews.record.verifying import Fault, read_record

RESTORE = "Compare with a backup or an exported log (JSON Lines); the log's chain says whether it is the log that changed."
RECORD_RESTORE = (
    "Somebody or something changed the database outside Daybook. `manage.py record show RUN` tells what the record knows; "
    "restore the row from a backup or an exported report. Nothing mends this by itself."
)
WANTED = {
    Gate.Status.OPEN: Review.Status.OPEN,
    Gate.Status.ANSWERED: Review.Status.DECIDED,
    Gate.Status.CANCELLED: Review.Status.CANCELLED,
}
BY_POLICY = ("policy: ", "remembered: ")
"""How the source of an answer begins that a stated rule, or an approval remembered in the run, gave."""


@check("decisions", order=50)
def decisions(look: Look) -> Iterator[Remark]:
    """Compare each gate with its review, its decision and the events that opened and closed it."""
    gates, is_sound = 0, True
    for run in Run.objects.select_related("study").order_by("created_at").iterator(chunk_size=200):
        look.progress(f"decisions of {place_of(run)}")
        try:
            count, found = _run(run, look)
        except UNREADABLE as fault:
            what = f"Its decisions cannot be read ({type(fault).__name__})."
            count, found = 0, [Remark(Level.FAIL, what, place_of(run), RESTORE)]
        gates, is_sound = gates + count, is_sound and not found
        yield from found
    if is_sound:
        yield Remark(Level.OK, f"{gates:,} gates: every answer is the decision that was taken and logged")


@check("record", order=55)
def record(look: Look) -> Iterator[Remark]:
    """Recompute the keyed chain over decisions, and hold every row that it binds against it."""
    entries, adopted, is_sound = 0, RecordEntry.objects.filter(is_adopted=True).count(), True
    for run in Run.objects.select_related("study").order_by("created_at").iterator(chunk_size=200):
        look.progress(f"record of {place_of(run)}")
        reading = read_record(run.pk)
        entries += reading.entries
        for fault in reading.faults:
            is_sound = False
            yield Remark(Level.FAIL, fault.what, record_place(run, fault), RECORD_RESTORE)
    for table in guards.missing():
        is_sound = False
        yield Remark(
            Level.WARN,
            f"Nothing keeps rows of {table} from being changed.",
            "",
            "manage.py migrate puts it back.",
        )
    if is_sound:
        told = f"; {adopted:,} of them from before there was a record" if adopted else ""
        yield Remark(Level.OK, f"{entries:,} entries bind what people decided, unaltered{told}")


def record_place(run: Run, fault: Fault) -> str:
    """Return where a fault of the record is: run, round and gate."""
    where = [place_of(run)]
    if fault.round is not None:
        where.append(f"round {fault.round}")
    if fault.gate:
        where.append(f"gate {fault.gate}")
    return ", ".join(where)


def _run(run: Run, look: Look) -> tuple[int, list[Remark]]:
    """Return how many gates the run has and what is wrong with them."""
    events, gates = _events(run), 0
    found: list[Remark] = []
    rows = Gate.objects.filter(run=run).select_related("review__decision").order_by("opened_at")
    for gate in rows.iterator(chunk_size=200):
        gates += 1
        found += _gate(gate, run, events, look)
    return gates, found


def _events(run: Run) -> dict[str, dict[str, Any]]:
    """Return the payloads of the events about gates, by key."""
    kinds = ("proposal.made", "review.opened", "review.decided", "gate.passed")
    rows = Event.objects.filter(run=run, kind__in=kinds, key__isnull=False).values_list(
        "key", "seq", "payload"
    )
    return {str(key): {**payload, "seq": seq} for key, seq, payload in rows}


def _gate(gate: Gate, run: Run, events: dict[str, dict[str, Any]], look: Look) -> Iterator[Remark]:
    where = f"{place_of(run)}, gate {gate.key} ({gate.pk})"
    for name in ("request", "answer"):
        if not isinstance(getattr(gate, name) or {}, dict):
            yield Remark(Level.FAIL, f"The gate's {name} cannot be read.", where, RESTORE)
            return
    for what in (*_request(gate, events), *_answer(gate, events), *_decision(gate)):
        yield Remark(Level.FAIL, what, where, RESTORE)
    yield from _review(gate, where, look)


def _request(gate: Gate, events: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What was put to people: as the reasoner proposed it, under the digest that an approval names."""
    content = gate.request["content"]
    action = content.get("action") or (content.get("proposal") or {}).get("action")
    bound = action if action and gate.kind not in (GateKind.ATTENTION, GateKind.FINISH) else content
    if not gate.digest == gate.request["digest"] == digest_of(bound):
        yield "What the gate asks is not what its digest was made of."
    opened = events.get(f"{gate.key}/opened")
    if opened is not None and opened.get("digest", gate.digest) != gate.digest:
        yield f"The gate's digest is not the one that event {opened['seq']} opened it with."
    if gate.kind == GateKind.PROPOSAL:
        made = [events[key] for key in events if key.startswith(f"{gate.round}/proposal/")]
        if made and all(event["proposal"] != content["proposal"] for event in made):
            last = made[-1]
            yield from _differing(
                "The gate's proposal", content["proposal"], last["proposal"], f"event {last['seq']}"
            )


def _answer(gate: Gate, events: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The answer on the gate: as it was logged when it was given."""
    if gate.status != Gate.Status.ANSWERED:
        if gate.answer is not None:
            yield f"The gate is {gate.status} and holds an answer."
        return
    answer = gate.answer or {}
    if str(answer.get("source", "")).startswith(BY_POLICY):
        if f"{gate.key}/passed" not in events:
            yield "A policy let it through, and no event says so."
        return
    logged = events.get(f"{gate.key}/decided")
    if logged is None:
        yield "It was answered, and no event says so."
        return
    shown = {
        name: answer.get(name)
        for name in ("verdict", "by", "note", "reason_code", "hypothesis", "result", "opinions")
    }
    shown["executed"] = answer.get("action")
    yield from _differing("The gate's answer", shown, logged, f"event {logged['seq']}")


def _decision(gate: Gate) -> Iterator[str]:
    """The decision's row: as the gate was answered. What a policy let through has none."""
    decision = decision_of(gate)
    answer = gate.answer or {}
    is_policy = str(answer.get("source", "")).startswith(BY_POLICY)
    by_person = gate.status == Gate.Status.ANSWERED and not is_policy
    if decision is None:
        if by_person:
            yield "It was answered by a person, and the decision's row is gone."
        return
    if not by_person:
        yield f"There is a decision by {decision.by}, and the gate was not answered by a person."
        return
    if not isinstance(decision.answer, dict):
        yield "The decision's answer cannot be read."
        return
    whole = {**dict.fromkeys(answer), **decision.answer}
    yield from _differing("The decision's answer", whole, answer, "the gate")
    columns = {name: getattr(decision, name) for name in ("verdict", "by", "note", "reason_code", "source")}
    yield from _differing("The decision", columns, answer, "the gate")
    content = gate.request["content"]
    proposed = content.get("action") or (content.get("proposal") or {}).get("action") or {}
    rest = {"proposed": decision.proposed, "shown_digest": decision.shown_digest}
    yield from _differing(
        "The decision", rest, {"proposed": proposed, "shown_digest": gate.digest}, "the gate"
    )


def decision_of(gate: Gate) -> Decision | None:
    """Return the decision on a gate, or None."""
    return getattr(getattr(gate, "review", None), "decision", None)


def _differing(what: str, shown: dict[str, Any], wanted: dict[str, Any], source: str) -> Iterator[str]:
    wrong = [name for name in shown if _said(shown[name]) != _said(wanted.get(name))]
    if wrong:
        yield f"{what} says another {', '.join(wrong)} than {source}."


def _said(value: Any) -> str:
    """Nothing, an empty text and an empty object are the same."""
    return canonical_json(value or None)


def _review(gate: Gate, where: str, look: Look) -> Iterator[Remark]:
    """The request put to people: there while the gate is open, and closed with it. It is made from the gate."""
    review: Review | None = getattr(gate, "review", None)
    wanted = WANTED[Gate.Status(gate.status)]
    if review is None:
        if gate.status == Gate.Status.OPEN:
            yield _mendable("The gate is open, and nobody is asked.", where, look, lambda: _open(gate))
    elif review.status != wanted:
        what = f"The gate is {gate.status}, and its review is {review.status}."
        rows = Review.objects.filter(pk=review.pk)
        yield _mendable(
            what, where, look, lambda: rows.update(status=wanted, claimed_by=None, claimed_until=None)
        )


def _open(gate: Gate) -> None:
    new_review(gate).save(force_insert=True)


def _mendable(what: str, where: str, look: Look, mend: Callable[[], object]) -> Remark:
    mended = ""
    if look.repair:
        mend()
        mended = "put right from the gate"
    return Remark(Level.FAIL, what, where, "manage.py doctor --repair", mended)
