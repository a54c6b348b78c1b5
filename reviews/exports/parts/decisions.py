"""What people decided: who, when, why, and what they changed."""

from typing import Any

from django.utils.translation import gettext as _

from reviews.exports.blocks import Block, Cell, Change, Item, Items, Paragraph, Section
from reviews.exports.parts.wording import (
    NOTHING,
    action_text,
    entered_text,
    moment,
    prediction_text,
    value_text,
)
from reviews.exports.record import Entry, Record, Signature
from reviews.present import words
from reviews.present.lists import argument_changes

EDITED = "edit"


def decisions(record: Record) -> Section:
    """Return every decision of a person, oldest first, with both sides of each edit."""
    taken = record.of("review.decided")
    if not taken:
        return Section(_("Decisions"), [Paragraph(_("No person has decided anything in this run."))])
    proposals = {entry.round: entry.payload["proposal"] for entry in record.of("proposal.made")}
    items = [
        _decision(
            entry, record.signatures.get(entry.payload.get("gate_id", "")), proposals.get(entry.round) or {}
        )
        for entry in taken
    ]
    return Section(_("Decisions"), [Items(items)])


def _decision(entry: Entry, signature: Signature | None, proposal: dict[str, Any]) -> Item:
    payload = entry.payload
    lines: list[tuple[str, Cell]] = [(_("By"), _who(payload["by"], signature)), (_("When"), moment(entry.at))]
    if payload.get("reason_code"):
        lines.append((_("Reason"), str(words.label(words.REASONS, payload["reason_code"]))))
    if payload.get("note"):
        lines.append((_("Note"), payload["note"]))
    lines += [(_("Before it"), _opinion(row)) for row in (signature.said if signature else [])]
    if payload["verdict"] == EDITED:
        lines += _edits(payload, signature, proposal)
    if payload.get("result"):
        lines.append((_("Entered"), entered_text(payload["result"])))
    verdict = words.word("verdict", payload["verdict"]).label
    return Item(f"{_round(entry)} · {verdict}: {payload['title']}", lines)


def _opinion(row: dict[str, Any]) -> str:
    """Return what one of several people said: a decision that they led to does not hide who was against it."""
    said = f"{row['by']}: {words.word('verdict', row['verdict']).label}"
    why = [str(words.label(words.REASONS, row["reason_code"]))] if row.get("reason_code") else []
    why += [row["note"]] if row.get("note") else []
    return f"{said} ({'; '.join(why)})" if why else said


def _round(entry: Entry) -> str:
    return _("Round %(number)s") % {"number": NOTHING if entry.round is None else entry.round}


def _who(by: str, signature: Signature | None) -> str:
    if signature is None:
        return by
    extra = [str(words.label(words.ROLES, signature.role))] if signature.role else []
    extra += [_("by %(channel)s") % {"channel": signature.channel}] if signature.channel != "web" else []
    return f"{by} ({', '.join(extra)})" if extra else by


def _edits(
    payload: dict[str, Any], signature: Signature | None, proposal: dict[str, Any]
) -> list[tuple[str, Cell]]:
    changes = argument_changes(payload.get("proposed") or {}, payload.get("executed") or {})
    lines: list[tuple[str, Cell]] = [
        (name, Change(value_text(old), value_text(new))) for name, old, new in changes
    ]
    before = (proposal.get("hypothesis") or {}).get("text", "")
    after = (payload.get("hypothesis") or {}).get("text", before)
    if after != before:
        lines.append((_("Hypothesis"), Change(before or NOTHING, after)))
    expected, edited = prediction_text(proposal.get("prediction")), None
    if signature is not None and signature.prediction:
        edited = prediction_text(signature.prediction)
    if edited and edited != expected:
        lines.append((_("Prediction"), Change(expected, edited)))
    return lines or [(_("Changed"), _("nothing: the proposal was let through as it was"))]


def vetoes(record: Record) -> Section:
    """Return the ideas that people refused, with their reasons."""
    refused = [entry for entry in record.of("review.decided") if entry.payload["verdict"] == "veto"]
    items = []
    for entry in refused:
        payload = entry.payload
        reason = payload.get("note") or str(words.label(words.REASONS, payload.get("reason_code", "")))
        lines: list[tuple[str, Cell]] = [(_("Reason"), reason or NOTHING), (_("By"), payload["by"])]
        if payload.get("proposed"):
            lines.append((_("Action"), action_text(payload["proposed"])))
        items.append(Item(f"{_round(entry)} · {payload['title']}", lines))
    return Section(_("Vetoed ideas"), [Items(items)] if items else [])


def open_reviews(record: Record) -> Section:
    """Return the reviews that nobody has answered yet."""
    closed = {entry.payload["gate"] for entry in record.of("review.decided", "review.cancelled")}
    waiting = [entry for entry in record.of("review.opened") if entry.payload["gate"] not in closed]
    items = [
        Item(f"{_round(entry)} · {entry.payload['title']}", [(_("Open since"), moment(entry.at))])
        for entry in waiting
    ]
    blocks: list[Block] = [Items(items)] if items else []
    return Section(_("Open reviews"), blocks)
