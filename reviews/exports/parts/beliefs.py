"""The hypotheses one after another, with the evidence that each one met."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from reviews.exports.blocks import Block, Cell, Paragraph, Section, Table
from reviews.exports.parts.wording import NOTHING, rounds_text
from reviews.exports.record import Record
from reviews.present.figures import share


@dataclass
class Belief:
    """A hypothesis while it stood. ``evidence`` holds (round, stance) of each result filed against it."""

    version: int
    round: int | None
    text: str
    refuted_by: str
    confidence: float | None
    by: str
    evidence: list[tuple[int | None, str]] = field(default_factory=list)

    def rounds(self, stance: str) -> list[int | None]:
        """Return the rounds whose result spoke so."""
        return [number for number, said in self.evidence if said == stance]


def beliefs_of(record: Record) -> list[Belief]:
    """Return every hypothesis in order; the same text put forward again is the same one."""
    found: list[Belief] = []
    for entry in record.of("digest.filed", "proposal.made", "review.decided", "evidence.filed"):
        if entry.kind == "evidence.filed":
            if found:
                found[-1].evidence.append((entry.round, entry.payload["stance"]))
            continue
        payload = entry.payload["proposal"] if entry.kind == "proposal.made" else entry.payload
        stated = payload.get("hypothesis")
        if not stated:
            continue
        if found and found[-1].text == stated["text"]:
            if entry.kind == "review.decided":
                found[-1].refuted_by = stated.get("refuted_by", "")
            continue
        by = payload.get("by", "") if entry.kind == "review.decided" else ""
        found.append(_belief(stated, len(found) + 1, entry.round, by))
    return found


def _belief(stated: dict[str, Any], version: int, round: int | None, by: str) -> Belief:
    return Belief(
        version=version,
        round=round,
        text=stated["text"],
        refuted_by=stated.get("refuted_by", ""),
        confidence=stated.get("confidence"),
        by=by,
    )


def hypotheses(beliefs: list[Belief]) -> Section:
    """Return the history as a table."""
    if not beliefs:
        return Section(_("Hypotheses"), [Paragraph(_("No hypothesis has been stated yet."))])
    columns = [_("No."), _("Since round"), _("Hypothesis"), _("Refuted by"), _("Confidence")]
    columns += [_("Rounds for"), _("Rounds against"), _("Inconclusive")]
    blocks: list[Block] = [Table(columns, [_row(belief) for belief in beliefs], numeric=frozenset({0, 1, 4}))]
    return Section(_("Hypotheses"), blocks)


def _row(belief: Belief) -> list[Cell]:
    text = (
        belief.text
        if not belief.by
        else _("%(text)s (edited by %(by)s)") % {"text": belief.text, "by": belief.by}
    )
    confidence = NOTHING if belief.confidence is None else share(belief.confidence)
    row: list[Cell] = [
        str(belief.version),
        str(belief.round or 0),
        text,
        belief.refuted_by or NOTHING,
        confidence,
    ]
    return [*row, *(rounds_text(belief.rounds(stance)) for stance in ("for", "against", "inconclusive"))]
