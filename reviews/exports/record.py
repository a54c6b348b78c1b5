"""What a report is made of: the run's log, folded by the parts, and the few rows that the log does not hold.

The number of queries is the same for a run of one round and of a thousand.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agents.core.measurement import Experiment
from agents.core.pictures import Picture, pictures_of
from agents.core.study import StudyProtocol
from agents.models import Document, Event, Run
from agents.models import Experiment as ExperimentRow
from agents.store.artifacts import read_pictures
from reviews.exports.escape import shown
from reviews.models import Decision
from reviews.models import Signature as SignatureRow
from reviews.record.verifying import read_record

KINDS = (
    "run.created",
    "run.forked",
    "run.recovered",
    "run.held",
    "run.configured",
    "run.paused",
    "run.resumed",
    "run.stopped",
    "run.retried",
    "run.finished",
    "run.failed",
    "digest.filed",
    "model.called",
    "proposal.made",
    "proposal.refused",
    "finish.proposed",
    "gate.passed",
    "review.opened",
    "review.decided",
    "review.cancelled",
    "guidance.given",
    "effect.unknown",
    "effect.settled",
    "effect.substituted",
    "memory.trimmed",
    "milestone.reviewed",
    "experiment.filed",
    "evidence.filed",
    "finding.added",
    "finding.changed",
    "round.failed",
    "round.completed",
    "budget.changed",
    "policy.changed",
    "approval.remembered",
    "budget.exhausted",
    "guard.tripped",
    "summary.written",
)
"""The kinds that a report reads: all but those that only repeat what others say (and may be large)."""

MOST_PICTURES = 20
"""A report holds the latest of them whole."""


@dataclass(frozen=True)
class Entry:
    """An event of the log as a report reads it: characters that turn the direction of writing are marked."""

    seq: int
    kind: str
    round: int | None
    at: datetime
    payload: dict[str, Any]


@dataclass(frozen=True)
class Signature:
    """What a decision's row says beyond its event: role, way in, the prediction as edited, and who said what before it."""

    role: str
    channel: str
    source: str
    prediction: dict[str, Any] | None
    said: list[dict[str, Any]]


@dataclass(frozen=True)
class Signed:
    """A person's name under their answer to a gate, and what it means."""

    by: str
    meaning: str
    at: datetime
    gate: str


@dataclass(frozen=True)
class Drawn:
    """A picture that a tool drew in a round, with its content."""

    picture: Picture
    round: int | None
    content: bytes


@dataclass(frozen=True)
class Record:
    """A run as its log tells it up to event ``run.seq``."""

    run: Run
    protocol: StudyProtocol
    entries: list[Entry]
    signatures: dict[str, Signature]
    """By the gate's id."""
    how: dict[str, str]
    """Which way each document was digested, by its id."""
    past: list[Experiment]
    """Experiments that came with the study."""
    elsewhere: list[Experiment]
    """Experiments that other runs of the study filed while this one could see them."""
    drawn: list[Drawn] = field(default_factory=list)
    """The latest pictures that its tools drew, oldest first."""
    signed: list[Signed] = field(default_factory=list)
    """The signatures under decisions, oldest first."""
    entries_bound: int = 0
    """How many entries the record of decisions has, the digest of the last, and what is wrong with it."""
    last_mac: str = ""
    faults: list[str] = field(default_factory=list)

    def of(self, *kinds: str) -> list[Entry]:
        """Return the entries of ``kinds``, in order."""
        return [entry for entry in self.entries if entry.kind in kinds]


def record_of(run: Run) -> Record:
    """Read ``run`` from the database. Later events than its last one of this moment are not seen."""
    run = Run.objects.select_related("study", "parent").get(pk=run.pk)
    rows = Event.objects.filter(run=run, seq__lte=run.seq, kind__in=KINDS).order_by("seq")
    entries = [
        Entry(seq, kind, round, at, shown(payload))
        for seq, kind, round, at, payload in rows.values_list("seq", "kind", "round", "at", "payload")
    ]
    ledger = ExperimentRow.objects.filter(study_id=run.study_id)
    if run.ended_at:
        ledger = ledger.filter(created_at__lte=run.ended_at)
    others = [row for row in ledger.order_by("created_at", "position") if row.run_id != run.pk]
    reading = read_record(run.pk)
    documents = Document.objects.filter(study_id=run.study_id).values_list("id", "how")
    return Record(
        run=run,
        protocol=StudyProtocol.model_validate(shown(run.protocol)),
        entries=entries,
        signatures=_signatures(run),
        how={str(pk): how for pk, how in documents},
        past=[_value(row) for row in others if row.run_id is None],
        elsewhere=[_value(row) for row in others if row.run_id is not None],
        drawn=_drawn(run),
        signed=_signed(run),
        entries_bound=reading.entries,
        last_mac=reading.mac,
        faults=[fault.what for fault in reading.faults],
    )


def _drawn(run: Run) -> list[Drawn]:
    rows = Event.objects.filter(run=run, seq__lte=run.seq, kind="effect.finished")
    rows = rows.filter(payload__result__artifacts__0__isnull=False).order_by("-seq")[:MOST_PICTURES]
    found = [
        (picture, round)
        for round, payload in reversed(rows.values_list("round", "payload"))
        for picture in pictures_of(shown(payload["result"]))
    ][-MOST_PICTURES:]
    contents = read_pictures([picture.content_hash for picture, _ in found])
    return [Drawn(p, round, contents[p.content_hash]) for p, round in found if p.content_hash in contents]


def _value(row: ExperimentRow) -> Experiment:
    """Return what a report uses of a row that the run's own log does not hold."""
    return Experiment(
        id=str(row.pk),
        planned=shown(row.planned),
        actual=shown(row.actual),
        measurements=shown(row.measurements),
        status=row.status,
        round=row.round,
    )


def _signed(run: Run) -> list[Signed]:
    rows = SignatureRow.objects.filter(review__run=run).order_by("at", "pk")
    return [Signed(*row) for row in rows.values_list("by", "meaning", "at", "review__gate__key")]


def _signatures(run: Run) -> dict[str, Signature]:
    rows = Decision.objects.filter(review__run=run)
    return {
        str(gate): Signature(
            role, channel, source, shown(answer.get("prediction")), shown(answer.get("opinions") or [])
        )
        for gate, role, channel, source, answer in rows.values_list(
            "review_id", "role", "channel", "source", "answer"
        )
    }


def experiments_in(entries: list[Entry]) -> list[tuple[Entry, Experiment]]:
    """Return the experiments that the log filed, in order, each with its event."""
    return [
        (entry, Experiment.model_validate(entry.payload["experiment"]))
        for entry in entries
        if entry.kind == "experiment.filed"
    ]
