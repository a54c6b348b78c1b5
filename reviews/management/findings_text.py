"""Findings as a terminal shows them: a line in a list, and one in full."""

from collections.abc import Sequence
from typing import Any

from agents.core.text import shorten
from agents.library import Change, Use
from agents.models import Finding


def row_line(row: Finding) -> str:
    """Return a finding in one line, with as much of its id as names it."""
    kind = " [rule]" if row.kind == Finding.Kind.RULE else ""
    state = kind if row.status == "active" else f"{kind} [{row.status}]"
    return f"{row.pk.hex[:12]}  {row.confidence:.2f}  {place_of(row)}{state}  {shorten(row.text, 120)}"


def place_of(row: Finding) -> str:
    """Return where a finding is from: study and run."""
    return f"{row.study.slug}#{row.run.number}" if row.run else f"{row.study.slug} (imported)"


def finding_data(
    row: Finding, *, history: Sequence[Change] = (), uses: Sequence[Use] = (), alike: Sequence[Finding] = ()
) -> dict[str, Any]:
    """Return a finding as JSON."""
    names = (
        "text",
        "kind",
        "reach",
        "status",
        "scope",
        "domain",
        "confidence",
        "support",
        "against",
        "evidence",
        "version",
    )
    data: dict[str, Any] = {
        "id": str(row.pk),
        "study": row.study.slug,
        "run": row.run.number if row.run else None,
        **{name: getattr(row, name) for name in (*names, "replaced_by", "origin")},
        "created": row.created_at.isoformat(),
    }
    if history or uses or alike:
        data["history"] = [{**vars(each), "at": each.at.isoformat()} for each in history]
        data["used_by"] = [
            {"run": str(use.run.pk), "number": use.run.number, "how": use.how, "round": use.round}
            for use in uses
        ]
        data["may_be_the_same"] = [{"id": str(other.pk), "text": other.text} for other in alike]
    return data


def finding_lines(row: Finding, *, history: list[Change], uses: list[Use], alike: list[Finding]) -> list[str]:
    """Return a finding in full, for reading."""
    lines = [
        row.text,
        f"{row.pk}  {row.status}  version {row.version}  from {place_of(row)}",
        f"confidence {row.confidence:.2f}, for {row.support}, against {row.against}"
        + (f", scope: {row.scope}" if row.scope else ""),
    ]
    if row.replaced_by:
        lines.append(f"replaced by {row.replaced_by}")
    if row.origin:
        lines.append(
            f"imported by {row.origin.get('by')} from {row.origin.get('study')}, {row.origin.get('id')}"
        )
    if row.kind == Finding.Kind.RULE:
        lines.append(f"a rule, told in runs of its {row.reach}")
    lines += [f"evidence: {_evidence(item)}" for item in row.evidence]
    for each in history:
        was = f", before: {each.before}" if each.before != each.text else ""
        lines.append(f"v{each.version} {each.at:%Y-%m-%d} {each.by or 'the reasoner'}: {each.reason}{was}")
    lines += [f"used by {use.run.study.slug}#{use.run.number} ({use.how})" for use in uses]
    lines += [f"may be the same: {other.pk.hex[:12]}  {shorten(other.text, 100)}" for other in alike]
    return lines


def _evidence(item: dict[str, Any]) -> str:
    where = f" of run {item['run']}" if item.get("run") else ""
    told = f": {item['text']}" if item.get("text") else ""
    place = f"round {item['round']}{where}" if item.get("round") is not None else where.removeprefix(" of ")
    return f"{place or 'experiments that came with the study'} {item.get('stance', '')}{told}".strip()
