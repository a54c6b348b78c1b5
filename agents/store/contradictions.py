"""Contradictions among the findings of a run, noted and settled on their rows: see ``agents.core.contradictions``."""

from uuid import UUID

from agents.core.brief import Contradiction
from agents.core.contradictions import (
    contradicts,
    linked,
    open_conflicts,
    settled,
    shared_words,
    statement_of,
)
from agents.core.findings import Finding
from agents.models import Finding as Row
from agents.models import Run
from agents.store.findings import as_value, change_row


def note_contradictions(run: Run, changed: list[Finding], *, round: int) -> None:
    """Settle what no longer stands, and link each of ``changed`` with the active findings that it contradicts.

    ``run`` is locked. Both sides of a pair get a version and a ``finding.changed`` event that says why.
    """
    _settle(run, round)
    for number in dict.fromkeys(_number(finding.id) for finding in changed if finding.status == "active"):
        _link(run, number, round)


def contradictions_of(run_id: UUID) -> list[Contradiction]:
    """Return the pairs of active findings that contradict each other and were not settled, oldest first."""
    rows = {f"F{row.number}": as_value(row) for row in _disputed(run_id)}
    pairs = {
        tuple(sorted((finding.id, other), key=_number)): None
        for finding in rows.values()
        for other in open_conflicts(finding)
        if other in rows
    }
    return [Contradiction(first=rows[one], second=rows[two]) for one, two in pairs]


def _disputed(run_id: UUID) -> list[Row]:
    rows = Row.objects.filter(run_id=run_id, status=Row.Status.ACTIVE, against__gt=0)
    return list(rows.order_by("number"))


def _settle(run: Run, round: int) -> None:
    rows = {f"F{row.number}": row for row in _disputed(run.pk)}
    for row in rows.values():
        for other in open_conflicts(as_value(row)):
            partner = rows.get(other)
            if partner is not None and contradicts(row.text, partner.text):
                continue
            reason = f"{other} does not contradict it any more"
            change_row(run, row, settled(as_value(row), other), reason=reason, round=round)


def _link(run: Run, number: int, round: int) -> None:
    row = Row.objects.get(run=run, number=number)
    statement = statement_of(row.text)
    if statement is None:
        return
    others = Row.objects.filter(run=run, status=Row.Status.ACTIVE).exclude(number=number)
    # The store finds what shares these words, so that only few texts are read and compared.
    for word in shared_words(statement):
        others = others.filter(text__icontains=word)
    found = [key for key, text in others.values_list("number", "text") if contradicts(row.text, text)]
    for other in Row.objects.filter(run=run, number__in=found).order_by("number"):
        _note(run, row, other, round)


def _note(run: Run, row: Row, other: Row, round: int) -> None:
    mine, theirs = as_value(row), as_value(other)
    for place, finding, against in ((row, mine, theirs), (other, theirs, mine)):
        if against.id not in open_conflicts(finding):
            reason = f"contradicts {against.id}: {against.text}"
            change_row(run, place, linked(finding, against, round=round), reason=reason, round=round)


def _number(name: str) -> int:
    return int(name[1:])


__all__ = ["contradictions_of", "note_contradictions"]
