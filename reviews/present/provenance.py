"""Where a finding comes from: each piece of evidence with its event, its decision and the pages that were read."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q

from agents.models import Document, Event, Finding, Run
from reviews.models import Decision

SHOWN = 100
"""Pieces of evidence that are followed, the newest of them."""
PAGES = 3

Place = tuple[str, int]


@dataclass
class Page:
    """A page of a document that a round read."""

    document: Document
    number: int
    text: str


@dataclass
class Link:
    """One piece of evidence with all that stands behind it. ``run`` is None when it is not of this site."""

    stance: str
    text: str
    round: int | None
    run: Run | None
    finding: str = ""
    outcome: str = ""
    seq: int | None = None
    filed: int | None = None
    missing: list[str] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)


def chain_of(finding: Finding) -> list[Link]:
    """Return the evidence of ``finding``, newest last, followed to event, decision and page."""
    items = [item for item in finding.evidence if isinstance(item, dict)][-SHOWN:]
    runs = _runs(finding, items)
    links = [_link(item, runs.get(str(item.get("run") or finding.run_id or ""))) for item in items]
    places = {(str(link.run.pk), link.round) for link in links if link.run and link.round is not None}
    known = _Known(finding, places) if places else None
    for link in links:
        if known and link.run and link.round is not None:
            known.tell(link, (str(link.run.pk), link.round))
    return links


def _runs(finding: Finding, items: list[dict[str, Any]]) -> dict[str, Run]:
    """Only runs of the finding's own study: evidence from a file may name any."""
    named = {item.get("run") for item in items} | {str(finding.run_id or "")}
    ids = [found for each in named if (found := _uuid(each)) is not None]
    rows = Run.objects.filter(study_id=finding.study_id, pk__in=ids).only("id", "number", "study_id")
    return {str(run.pk): run for run in rows}


def _uuid(text: Any) -> UUID | None:
    try:
        return UUID(str(text))
    except ValueError:
        return None


def _link(item: dict[str, Any], run: Run | None) -> Link:
    number = item.get("round")
    missing = item.get("missing")
    event = item.get("event")
    return Link(
        stance=str(item.get("stance") or ""),
        text=str(item.get("text") or ""),
        round=number if isinstance(number, int) else None,
        run=run,
        finding=str(item.get("finding") or ""),
        seq=event if isinstance(event, int) else None,
        missing=[str(each) for each in missing] if isinstance(missing, list) else [],
    )


class _Known:
    """What the logs say of rounds, in four queries however many there are."""

    def __init__(self, finding: Finding, places: set[Place]) -> None:
        asked = Q()
        for run, number in sorted(places):
            asked |= Q(run_id=run, round=number)
        rows = Event.objects.filter(asked).order_by("seq")
        self.completed = {_place(row): row for row in rows.filter(kind="round.completed")}
        self.filed = {
            _place(row): row.seq
            for row in rows.filter(kind="experiment.filed").only("run_id", "round", "seq")
        }
        read = rows.filter(kind="effect.finished", payload__result__data__has_key="passages")
        self.read = [(_place(row), row.payload["result"]["data"]["passages"]) for row in read]
        names = Document.objects.filter(study_id=finding.study_id) if self.read else ()
        self.documents = {document.name: document for document in names}
        gates = Q()
        for run, number in sorted(places):
            gates |= Q(review__run_id=run, review__gate__round=number)
        self.decisions = list(Decision.objects.filter(gates).select_related("review__gate").order_by("at"))

    def tell(self, link: Link, place: Place) -> None:
        """Add what is known of the round at ``place``."""
        done = self.completed.get(place)
        if done is not None:
            link.outcome, link.seq = str(done.payload.get("outcome", "")), link.seq or done.seq
        link.filed = self.filed.get(place)
        link.decisions = [
            each for each in self.decisions if (str(each.review.run_id), each.review.gate.round) == place
        ]
        link.pages = list(self._pages(place))[:PAGES]

    def _pages(self, place: Place) -> Iterable[Page]:
        for where, passages in self.read:
            for passage in passages if where == place and isinstance(passages, list) else []:
                document = self.documents.get(passage.get("document"))
                if document is not None and isinstance(passage.get("page"), int):
                    yield Page(document, passage["page"], str(passage.get("text", "")))


def _place(row: Event) -> Place:
    return str(row.run_id), row.round or 0
