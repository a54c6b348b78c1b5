"""What else happened: guidance, pauses, changes of budget, faults, and actions that measured nothing."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from reviews.exports.blocks import Cell, Section, Table
from reviews.exports.parts.wording import NOTHING, action_text, moment, value_text
from reviews.exports.record import Entry, Record

Payload = dict[str, Any]


def course(record: Record) -> Section:
    """Return the events that a reader of the other sections would miss, in order."""
    sentences = _sentences()
    measured = {entry.round for entry in record.of("experiment.filed")}
    rows: list[list[Cell]] = []
    for entry in record.entries:
        say = sentences.get(entry.kind)
        if say is None or _is_told_elsewhere(entry, measured):
            continue
        rows.append([moment(entry.at), _round(entry), say(entry.payload)])
    columns = [_("Time"), _("Round"), _("Event")]
    return Section(_("Course of the run"), [Table(columns, rows, numeric=frozenset({1}))] if rows else [])


def _is_told_elsewhere(entry: Entry, measured: set[int | None]) -> bool:
    if entry.kind == "run.configured":
        return not entry.payload.get("by")
    return entry.kind == "round.completed" and entry.round in measured


def _round(entry: Entry) -> str:
    return NOTHING if entry.round is None else str(entry.round)


def _sentences() -> dict[str, Callable[[Payload], str]]:
    """Return, by kind, how an event is told. Made at each call, since the language may differ."""
    return {
        "run.forked": lambda p: _("Forked from run %(parent_number)s at its event %(seq)s") % p,
        "run.recovered": lambda p: _("Went on after a worker was lost"),
        "run.held": lambda p: (
            _("Held, since the program had changed: %(why)s") % {"why": " ".join(p["sentences"])}
        ),
        "run.configured": lambda p: (
            _("%(by)s let it go on with graph %(graph)s on program version %(program)s") % p
        ),
        "run.paused": lambda p: _("Paused by %(by)s") % p,
        "run.resumed": lambda p: _("Resumed by %(by)s") % p,
        "run.stopped": lambda p: _("Stopped by %(by)s") % p,
        "run.retried": lambda p: _("Retried by %(by)s") % p,
        "run.failed": lambda p: _("Failed: %(error)s") % p,
        "run.finished": lambda p: _("Ended: %(outcome)s") % p,
        "guidance.given": lambda p: _("Guidance by %(by)s: %(text)s") % p,
        "budget.changed": lambda p: (
            _("Budget changed by %(by)s: %(budget)s") % {**p, "budget": value_text(p["budget"])}
        ),
        "budget.exhausted": lambda p: _("Budget used up: %(limits)s") % {"limits": value_text(p["limits"])},
        "proposal.refused": lambda p: (
            _("A proposal was not admitted: %(why)s") % {"why": "; ".join(p["problems"])}
        ),
        "finish.proposed": lambda p: _("The reasoner proposed to finish: %(answer)s") % p,
        "effect.unknown": lambda p: _("Nobody knows whether %(key)s happened; a person was asked") % p,
        "memory.trimmed": lambda p: _("Memory ran short: %(reason)s") % p,
        "milestone.reviewed": lambda p: (
            _("The whole memory was reviewed: %(proposed)s changes were proposed") % p
        ),
        "effect.substituted": lambda p: _("Something stood in for %(tool)s: %(told)s") % p,
        "effect.settled": lambda p: _settled(p) % p,
        "guard.tripped": lambda p: _("The guard %(guard)s held something back: %(reason)s") % p,
        "round.failed": lambda p: _("Nothing could be proposed: %(problem)s") % p,
        "review.cancelled": lambda p: _("The review %(gate)s was cancelled by %(by)s") % p,
        "round.completed": lambda p: _inherited(p) % f"{action_text(p['action'])} → {p['outcome']}",
    }


def _inherited(payload: Payload) -> str:
    """A fork's log opens with the rounds of the run it left; they did not happen in it."""
    return _("%s (in the run it was forked from)") if payload.get("inherited") else "%s"


def _settled(payload: Payload) -> str:
    return _("%(key)s did happen") if payload["happened"] else _("%(key)s did not happen")
