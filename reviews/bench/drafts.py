"""A result that is being typed: shared, kept field by field, and never overwritten without a trace."""

import json
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.core.errors import BadInput
from agents.core.text import clean_value
from agents.models import Gate
from reviews.models import BenchDraft

Fields = dict[str, str]

LARGEST = 100_000
"""Characters of a whole draft."""
KEPT_REPLACED = 40


def merged(stored: Fields, base: Fields, posted: Fields) -> tuple[Fields, Fields]:
    """Return the draft after one page has posted its form, and what it replaced that another page had typed.

    ``base`` is what that page showed before anybody typed on it: a field that still holds it was not touched
    there, and keeps what is ``stored``.
    """
    fields, replaced = dict(stored), {}
    for name, value in posted.items():
        was = base.get(name, "")
        if same(value, was):
            continue
        other = stored.get(name, was)
        if other.strip() and not same(other, was) and not same(other, value):
            replaced[name] = other
        fields[name] = value
    return fields, replaced


def newer(stored: Fields, base: Fields, posted: Fields) -> Fields:
    """Return the stored fields that were typed elsewhere since this page was opened, and not on it."""
    return {
        name: value
        for name, value in stored.items()
        if name in base and same(posted.get(name, ""), base[name]) and not same(value, base[name])
    }


def same(a: str, b: str) -> bool:
    """Return True for texts that a browser would post alike."""
    return a.replace("\r\n", "\n").strip() == b.replace("\r\n", "\n").strip()


def read_base(text: str) -> Fields:
    """Return what a page says that it showed; an unreadable text is no base."""
    try:
        given = json.loads(text or "{}")
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {}


@transaction.atomic
def save(gate: Gate, *, by: str, posted: Fields, base: Fields) -> tuple[BenchDraft, Fields]:
    """Merge ``posted`` into the draft of ``gate``; return it, and what was typed elsewhere (see ``newer``).

    Raises ``BadInput`` when it would become too long to keep.
    """
    posted = clean_value(posted)
    BenchDraft.objects.get_or_create(gate=gate)
    draft = BenchDraft.objects.select_for_update().get(gate=gate)
    elsewhere = newer(draft.fields, base, posted)
    fields, replaced = merged(draft.fields, base, posted)
    if sum(len(value) for value in fields.values()) > LARGEST:
        raise BadInput(f"What is typed is longer than {LARGEST:,} characters; attach a file instead.")
    if fields != draft.fields:
        now = timezone.now().isoformat(timespec="seconds")
        lost = [{"field": k, "value": v, "by": draft.updated_by, "at": now} for k, v in replaced.items()]
        draft.fields, draft.updated_by = fields, by
        draft.replaced = [*draft.replaced, *lost][-KEPT_REPLACED:]
        draft.save()
    return draft, elsewhere


def fill(gate: Gate, *, by: str, values: Fields) -> Fields:
    """Put ``values`` into fields of the draft that are still empty; return those that were taken."""
    with transaction.atomic():
        BenchDraft.objects.get_or_create(gate=gate)
        draft = BenchDraft.objects.select_for_update().get(gate=gate)
        taken = {name: value for name, value in values.items() if not draft.fields.get(name, "").strip()}
        if taken:
            draft.fields, draft.updated_by = {**draft.fields, **taken}, by
            draft.save()
    return taken


def draft_fields(gate: Gate) -> Fields:
    """Return what is typed for ``gate``, or nothing."""
    draft = BenchDraft.objects.filter(gate=gate).first()
    return dict(draft.fields) if draft else {}


def posted_fields(post: Any, *, prefixes: tuple[str, ...] = ("res.", "note")) -> Fields:
    """Return the fields of a posted form that belong to the result."""
    return {name: str(value) for name, value in post.items() if name.startswith(prefixes)}
