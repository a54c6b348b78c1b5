"""How decisions were made, as a methods section tells it: by whom, by which rules, what people changed, and whether
the record of it is whole."""

from collections import Counter
from datetime import datetime
from statistics import median
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.core.measurement import departures_of
from reviews.exports.blocks import Block, Cell, Facts, Item, Items, Notice, Paragraph, Section
from reviews.exports.parts.wording import NOTHING, moment
from reviews.exports.record import Entry, Record
from reviews.present import words
from reviews.present.figures import number, span


def deciding(record: Record) -> Section:
    """Return the methods section about decisions."""
    blocks: list[Block] = [Paragraph(_told(record)), Facts(_facts(record))]
    deviations = [*_deviations(record)]
    if deviations:
        blocks.append(Items([Item(_("Departures from what was proposed or planned"), deviations)]))
    if record.signed:
        rows: list[tuple[str, Cell]] = [
            (f"{each.by}, {moment(each.at)}", f"{_meaning(each.meaning)} ({each.gate})")
            for each in record.signed
        ]
        blocks.append(Items([Item(_("Signatures"), rows)]))
    if record.faults:
        blocks.append(Notice(_("The record of decisions is broken: %(what)s") % {"what": record.faults[0]}))
    return Section(_("How decisions were made"), blocks)


def _told(record: Record) -> str:
    """Return the section's first sentences."""
    decided, passed = record.of("review.decided"), record.of("gate.passed")
    policy = str(words.POLICIES.get(record.run.policy, (record.run.policy,))[0])
    sentences = [
        _(
            "Each proposal of the reasoner was judged by a written policy (%(policy)s) before it was carried out."
        )
        % {"policy": policy},
        ngettext("%(n)s was decided by a person", "%(n)s were decided by people", len(decided))
        % {"n": number(len(decided))}
        + ", "
        + ngettext("%(n)s let through by a stated rule.", "%(n)s let through by stated rules.", len(passed))
        % {"n": number(len(passed))},
    ]
    if decided:
        sentences.append(
            _(
                "What a person decided was bound to exactly the action that was shown to them; nothing else could run."
            )
        )
    return " ".join(sentences)


def _facts(record: Record) -> list[tuple[str, Cell]]:
    decided = record.of("review.decided")
    verdicts = Counter(entry.payload["verdict"] for entry in decided)
    rows: list[tuple[str, Cell]] = [(_("Decided by"), _people(record, decided) or _("nobody"))]
    if verdicts:
        told = (
            f"{words.word('verdict', code).label}: {number(count)}" for code, count in verdicts.most_common()
        )
        rows.append((_("Decisions"), "; ".join(told)))
    reasons = Counter(
        str(words.label(words.REASONS, entry.payload.get("reason_code") or "other"))
        for entry in decided
        if entry.payload["verdict"] == "veto"
    )
    if reasons:
        rows.append(
            (_("Reasons of vetoes"), "; ".join(f"{name}: {number(n)}" for name, n in reasons.most_common()))
        )
    waits = waits_of(record)
    if waits:
        told_wait = _("half within %(median)s, the longest after %(longest)s")
        rows.append(
            (_("Time to decision"), told_wait % {"median": span(median(waits)), "longest": span(max(waits))})
        )
    rows.append((_("Record of decisions"), _record(record)))
    return rows


def _people(record: Record, decided: list[Entry]) -> str:
    """Return who decided, with their roles and how often; a decision of two counts for both."""
    counts: Counter[str] = Counter()
    for entry in decided:
        said = entry.payload.get("opinions") or []
        signature = record.signatures.get(entry.payload.get("gate_id", ""))
        own = [{"by": entry.payload["by"], "role": signature.role if signature else ""}]
        for row in said or own:
            role = str(words.label(words.ROLES, row.get("role", ""))) if row.get("role") else ""
            counts[f"{row['by']} ({role})" if role else str(row["by"])] += 1
    return "; ".join(f"{name}: {number(count)}" for name, count in counts.most_common())


def waits_of(record: Record) -> list[float]:
    """Return the seconds from opening to decision of each review that was decided."""
    opened: dict[str, datetime] = {entry.payload["gate"]: entry.at for entry in record.of("review.opened")}
    pairs = ((opened.get(entry.payload["gate"]), entry.at) for entry in record.of("review.decided"))
    return [(at - since).total_seconds() for since, at in pairs if since is not None]


def _record(record: Record) -> str:
    if record.faults:
        return _("broken in %(n)s places") % {"n": number(len(record.faults))}
    if not record.entries_bound:
        return _("no decision of a person to bind")
    return _("keyed chain of %(n)s entries, verified when this was written; its end is %(mac)s") % {
        "n": number(record.entries_bound),
        "mac": record.last_mac[:16],
    }


def _meaning(code: str) -> str:
    return str(words.label(words.MEANINGS, code))


def _deviations(record: Record) -> list[tuple[str, Cell]]:
    """Return what went otherwise than proposed or planned, each with its rounds."""
    said: list[tuple[str, list[Entry]]] = [
        (_("edited by a person before it ran"), _with(record, "review.decided", verdict="edit")),
        (_("refused by a person"), _with(record, "review.decided", verdict="veto")),
        (
            _("result entered by a person instead of the tool"),
            _with(record, "review.decided", verdict="answer"),
        ),
        (_("another tool answered instead"), record.of("effect.substituted")),
        (_("outcome unknown, settled by a person"), record.of("effect.settled")),
        (_("a guard against going in circles stepped in"), record.of("guard.tripped")),
        (_("budget changed"), record.of("budget.changed")),
        (_("policy changed"), record.of("policy.changed")),
        (_("approval remembered for later calls"), record.of("approval.remembered")),
    ]
    conditions = [entry for entry in record.of("experiment.filed") if _differs(entry.payload["experiment"])]
    said.append((_("carried out under other conditions than planned"), conditions))
    return [(what, _where(entries)) for what, entries in said if entries]


def _with(record: Record, kind: str, **wanted: Any) -> list[Entry]:
    return [e for e in record.of(kind) if all(e.payload.get(name) == value for name, value in wanted.items())]


def _differs(experiment: dict[str, Any]) -> bool:
    return bool(departures_of(experiment.get("planned") or {}, experiment.get("actual") or {}))


def _where(entries: list[Entry]) -> str:
    rounds = sorted({entry.round for entry in entries if entry.round is not None})
    listed = ", ".join(str(each) for each in rounds[:30]) + (" …" if len(rounds) > 30 else "")
    count = ngettext("once", "%(n)s times", len(entries)) % {"n": number(len(entries))}
    return f"{count}, {_('round')} {listed}" if listed else count or NOTHING
