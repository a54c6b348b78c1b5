"""The findings of the run with their evidence."""

from typing import Any

from django.utils.translation import gettext as _

from agents.core.findings import is_belief
from reviews.exports.blocks import Block, Cell, Item, Items, Paragraph, Section
from reviews.exports.parts.wording import NOTHING, rounds_text
from reviews.exports.record import Record
from reviews.present import words
from reviews.present.figures import share


def findings(record: Record) -> Section:
    """Return the findings as they stand now, those that hold first; vetoed ideas have their own section."""
    latest: dict[str, dict[str, Any]] = {}
    for entry in record.of("finding.added", "finding.changed"):
        latest[entry.payload["finding"]["id"]] = entry.payload["finding"]
    kept = [finding for finding in latest.values() if finding["status"] != "vetoed"]
    kept.sort(key=lambda row: (row["status"] != "active", -row["confidence"], -row["support"], row["number"]))
    blocks: list[Block] = (
        [Items([_finding(row) for row in kept])] if kept else [Paragraph(_("Nothing was found yet."))]
    )
    return Section(_("Findings"), blocks)


def _finding(row: dict[str, Any]) -> Item:
    evidence = row.get("evidence", [])
    lines: list[tuple[str, Cell]] = []
    if is_belief(row["text"], row["status"]):
        lines = [
            (_("Confidence"), share(row["confidence"])),
            (_("Evidence for"), _evidence(row["support"], evidence, "for")),
            (_("Evidence against"), _evidence(row["against"], evidence, "against")),
        ]
    if row["status"] != "active":
        lines.append((_("State"), str(words.word("finding", row["status"]).label)))
    if row.get("scope"):
        lines.append((_("Scope"), row["scope"]))
    if row.get("version", 1) > 1:
        lines.append((_("Versions"), str(row["version"])))
    return Item(f"F{row['number']}: {row['text']}", lines)


def _evidence(count: int, evidence: list[dict[str, Any]], stance: str) -> str:
    rounds = rounds_text([each.get("round") for each in evidence if each.get("stance") == stance])
    if rounds == NOTHING:
        return str(count)
    return _("%(count)s (rounds %(rounds)s)") % {"count": count, "rounds": rounds}
