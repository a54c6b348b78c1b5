"""Bench sheets: what to do, why, blanks for what comes out, and a code that leads back to the form."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import segno
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from agents.core.science import Objective
from agents.models import Gate
from agents.services.gates import action_of
from reviews.models import BenchTask, Review
from reviews.present.card import Argument, arguments_of
from reviews.present.tooling import spec_of

MOST_SHEETS = 200
LAYOUTS = ("each", "table")

Link = Callable[[Gate], str]


@dataclass(frozen=True)
class Sheet:
    """One task as it is printed. What is expected to come out is left off: it would guide the hand."""

    title: str
    study: str
    run: int
    round: int
    code: str
    """The beginning of the review's id, to find it again by hand."""
    link: str
    qr: SafeString
    conditions: list[Argument]
    objectives: list[Objective]
    hypothesis: str
    is_replicate: bool
    instructions: str
    assignee: str
    due_at: datetime | None


@dataclass(frozen=True)
class SheetTable:
    """Tasks with the same conditions and quantities, one a row."""

    study: str
    conditions: list[Argument]
    objectives: list[Objective]
    sheets: list[Sheet]


def sheets_of(reviews: Iterable[Review], *, link: Link) -> list[Sheet]:
    """Return the sheets of waiting tasks; ``link`` gives the whole address of a task's form."""
    rows = list(reviews)
    proposals = _proposals(rows)
    return [_sheet(row, proposals.get((row.run_id, row.gate.round)), link) for row in rows]


def tables_of(sheets: list[Sheet]) -> list[SheetTable]:
    """Return the sheets as tables, those that can share columns together, in order."""
    groups: dict[tuple[Any, ...], list[Sheet]] = {}
    for sheet in sheets:
        columns = tuple((each.name, each.unit) for each in sheet.conditions)
        groups.setdefault(
            (sheet.study, columns, tuple((o.name, o.unit) for o in sheet.objectives)), []
        ).append(sheet)
    return [
        SheetTable(
            study=rows[0].study, conditions=rows[0].conditions, objectives=rows[0].objectives, sheets=rows
        )
        for rows in groups.values()
    ]


def sheet_page(sheets: list[Sheet], *, layout: str, back: str = "", waiting: int = 0) -> str:
    """Return the page to print. Without ``back`` it is a file that needs nothing else. When more tasks are
    ``waiting`` than there are sheets, the page says so."""
    context = {
        "sheets": sheets,
        "tables": tables_of(sheets) if layout == "table" else [],
        "layout": layout,
        "left_out": max(0, waiting - len(sheets)),
        "back": back,
        "printed_at": timezone.localtime(),
        "style": "" if back else _style(),
    }
    return render_to_string("bench/sheets.html", context)


def qr_code(text: str) -> SafeString:
    """Return ``text`` as a QR code in SVG, without scripts, styles or anything to load."""
    code = segno.make(text, error="m", micro=False)
    drawn = code.svg_inline(omitsize=True, border=2, svgclass=None, lineclass=None, title=_("Opens the form"))
    return mark_safe(drawn)  # noqa: S308  (made of squares by the library; the title is our own)


def _proposals(rows: list[Review]) -> dict[tuple[Any, int], Gate]:
    """Return the proposals that led to the tasks, by run and round, in one query."""
    keys = {f"{row.gate.round}/review" for row in rows}
    found = Gate.objects.filter(run__in={row.run_id for row in rows}, key__in=keys)
    return {(gate.run_id, gate.round): gate for gate in found}


def _sheet(row: Review, proposed: Gate | None, link: Link) -> Sheet:
    gate = row.gate
    gate.run = row.run
    action = action_of(gate)
    assert action is not None
    task: BenchTask | None = getattr(gate, "bench_task", None)
    content = proposed.request["content"].get("proposal", {}) if proposed else {}
    edited = ((proposed.answer or {}) if proposed else {}).get("hypothesis")
    address = link(gate)
    return Sheet(
        title=row.title,
        study=row.run.study.title,
        run=row.run.number,
        round=gate.round,
        code=str(gate.pk)[:8],
        link=address,
        qr=qr_code(address),
        conditions=arguments_of(action, spec_of(row.run, action.tool), {}),
        objectives=[Objective.model_validate(each) for each in row.run.protocol.get("objectives", [])],
        hypothesis=str((edited or content.get("hypothesis") or {}).get("text", "")),
        is_replicate=bool(content.get("is_replicate")),
        instructions="\n".join(
            filter(None, [gate.request["content"].get("instructions", ""), task.instructions if task else ""])
        ),
        assignee=task.assignee.get_username() if task and task.assignee else "",
        due_at=task.due_at if task else None,
    )


def _style() -> SafeString:
    found = finders.find("css/sheet.css")
    assert isinstance(found, str)
    return mark_safe(Path(found).read_text())  # noqa: S308  (our own file)
