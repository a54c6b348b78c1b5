"""From what a person types in a terminal to rows: slugs, numbers, ids and the beginnings of ids."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

from django.core.management.base import CommandError
from django.db.models import Model, QuerySet

from agents.core.errors import Conflict, DaybookError, NotFound
from agents.models import Run, Study

CONFLICT = 2
"""Exit code when somebody else was first."""
LISTED = 5

Row = TypeVar("Row", bound=Model)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what services raise into the last line of a command; a conflict has an exit code of its own."""
    try:
        yield
    except Conflict as fault:
        raise CommandError(str(fault), returncode=CONFLICT) from None
    except DaybookError as fault:
        raise CommandError(str(fault)) from None


def by_prefix(rows: QuerySet[Row], text: str, *, what: str, hint: str, field: str = "id") -> Row:
    """Return the one row whose id (in ``field``) begins with ``text``, hyphens or not.

    Raises ``NotFound`` when there is none (with ``hint``) or more than one (naming them).
    """
    digits = text.replace("-", "").lower()
    if not re.fullmatch(r"[0-9a-f]{1,32}", digits):
        raise NotFound(f"{text!r} is no id of a {what}. {hint}")
    found = list(rows.filter(**{f"{field}__startswith": _hyphenated(digits)})[: LISTED + 1])
    if not found:
        raise NotFound(f"There is no {what} {text!r}. {hint}")
    if len(found) > 1:
        listed = ", ".join(str(row.pk) for row in found[:LISTED])
        more = " …" if len(found) > LISTED else ""
        raise NotFound(f"{text!r} is the beginning of more than one {what}: {listed}{more}. Give more of it.")
    return found[0]


def _hyphenated(digits: str) -> str:
    """Return the beginning of an id as databases with a type for ids spell it."""
    ends = (0, 8, 12, 16, 20, 32)
    parts = [digits[start:end] for start, end in pairwise(ends)]
    return "-".join(part for part in parts if part)


def find_study(text: str) -> Study:
    """Return the study with this slug or id. Raises ``NotFound`` that lists the studies there are."""
    study = Study.objects.filter(slug=text).first()
    if study is not None:
        return study
    known = list(Study.objects.order_by("-created_at").values_list("slug", flat=True)[:20])
    hint = (
        f"Studies: {', '.join(known)}."
        if known
        else "There are no studies yet; see `manage.py study create`."
    )
    if re.fullmatch(r"[0-9a-fA-F-]{8,36}", text):
        return by_prefix(Study.objects.all(), text, what="study", hint=hint)
    raise NotFound(f"There is no study {text!r}. {hint}")


def find_run(text: str) -> Run:
    """Return the run ``slug#number``, or the one with this id or beginning of an id. Raises ``NotFound``."""
    rows = Run.objects.select_related("study")
    slug, mark, number = text.rpartition("#")
    if not mark:
        hint = "Give an id, its beginning, or STUDY#NUMBER; `manage.py study show STUDY` lists them."
        return by_prefix(rows, text, what="run", hint=hint)
    study = find_study(slug)
    run = rows.filter(study=study, number=int(number)).first() if number.isdecimal() else None
    if run is None:
        numbers = list(study.runs.order_by("number").values_list("number", flat=True)[:50])
        known = ", ".join(map(str, numbers)) or "none yet"
        raise NotFound(f"The study {slug} has no run {number!r}; its runs: {known}.")
    return run
