"""What the researcher makes of a digest: items kept, changed or dropped, and what the study takes from them."""

from typing import Any

from django.db import transaction
from pydantic import ValidationError

from agents.core.errors import BadInput
from agents.core.science import Constraint, Parameter, Space
from agents.core.text import clean_text, clean_value
from agents.models import DigestItem as ItemRow
from agents.models import Study
from agents.services.datasets import import_all_past
from agents.services.protocols import kept_items, source_of

UNCHECKED = "No program can check this; it asks for a review."


def adopt_digest(study: Study, *, only_empty: bool = False) -> Study:
    """Take goal, hypothesis, parameters and constraints from the kept digest items into the study.

    With ``only_empty``, what the researcher has stated already is left alone. An item whose quote was not
    found on its page never becomes a constraint by itself.
    """
    items = kept_items(study)
    if not (only_empty and study.goal):
        study.goal = next((item.text for item in items if item.kind == "goal"), study.goal)
    if not (only_empty and study.initial_hypothesis):
        hypothesis = next(
            (item.text for item in items if item.kind == "hypothesis"), study.initial_hypothesis
        )
        study.initial_hypothesis = hypothesis
    space_before = study.space
    if not (only_empty and (study.space or {}).get("parameters")):
        study.space = {"parameters": _parameters(items)}
    if not (only_empty and study.constraints):
        stated = [c for c in study.constraints if c.get("source", {}).get("origin") == "person"]
        study.constraints = [*stated, *_constraints(items)]
    study.save(update_fields=["goal", "initial_hypothesis", "space", "constraints", "updated_at"])
    if study.space != space_before:
        import_all_past(study)
    return study


def _parameters(items: list[ItemRow]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for item in items:
        if item.kind != "parameter":
            continue
        try:
            parameter = Parameter.model_validate(item.data)
        except ValidationError:
            continue
        found.setdefault(parameter.name, parameter.model_dump(mode="json"))
    return list(found.values())


def _constraints(items: list[ItemRow]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for item in items:
        is_sure = item.is_verified or item.status in (ItemRow.Status.KEPT, ItemRow.Status.EDITED)
        if item.kind != "constraint" or not is_sure:
            continue
        source = source_of(item)
        try:
            constraint = Constraint(
                id=f"C{len(rows) + 1}", text=item.text, predicate=item.data.get("predicate"), source=source
            )
        except ValidationError:
            constraint = Constraint(id=f"C{len(rows) + 1}", text=item.text, source=source)
        rows.append(constraint.model_dump(mode="json"))
    return rows


@transaction.atomic
def edit_item(
    item: ItemRow, *, status: str = "", text: str | None = None, data: dict[str, Any] | None = None
) -> ItemRow:
    """Keep, edit or drop a digest item; the original stays beside it. Raises ``BadInput``.

    Parameters and constraints of the study follow at once. The words of a constraint are what is checked: changed
    words are read again, and when no limit can be read off them, no program checks it and it forces a review.
    """
    if text is not None:
        text = clean_text(text).strip()
        if not text:
            raise BadInput("The item would be empty. Drop it instead, or write what it should say.")
        if data is None and item.kind == "constraint" and text != item.text:
            _read_limit(item, text)
        item.text = text
    if data is not None:
        item.data = _checked_data(item.kind, clean_value(data))
    changed = item.text != item.original.get("text") or item.data != item.original.get("data")
    wanted = status or (ItemRow.Status.EDITED if changed else ItemRow.Status.KEPT)
    if wanted not in ItemRow.Status.values:
        raise BadInput(f"An item is one of {', '.join(ItemRow.Status.values)}, not {wanted!r}.")
    item.status = wanted
    item.save(update_fields=["text", "data", "note", "status"])
    _follow(item)
    return item


def _read_limit(item: ItemRow, text: str) -> None:
    from agents.reasoners.extractive.limits import bounds_in  # loaded when somebody writes a limit

    if text == item.original.get("text"):
        item.data, item.note = item.original["data"], item.original.get("note", "")
        return
    bounds = bounds_in(text, Space.model_validate(item.study.space or {}).parameters)
    is_read = len(bounds) == 1
    item.data = item.data | {"predicate": bounds[0].model_dump(mode="json") if is_read else None}
    item.note = "" if is_read else UNCHECKED


def _follow(item: ItemRow) -> None:
    if item.kind == "constraint":
        _follow_constraint(item)
    elif item.kind == "parameter":
        _follow_parameter(item)


def _follow_constraint(item: ItemRow) -> None:
    """Dropped limits go, kept and edited ones stand as written; a sentence may set several."""
    study, source = item.study, source_of(item).model_dump(mode="json")
    same = study.digest_items.filter(
        kind=item.kind, document=item.document_id, page=item.page, quote=item.quote
    ).exclude(status=ItemRow.Status.DROPPED)
    rows = [row for row in study.constraints if not _is_from(row, source)]
    rows += _constraints(list(same.select_related("document").order_by("position")))
    for number, row in enumerate(rows, start=1):
        row["id"] = f"C{number}"
    study.constraints = rows
    study.save(update_fields=["constraints", "updated_at"])


def _is_from(row: dict[str, Any], source: dict[str, Any]) -> bool:
    given = row.get("source", {})
    return all(given.get(name) == source[name] for name in ("document_id", "page", "quote"))


def _follow_parameter(item: ItemRow) -> None:
    """A dropped factor leaves the space; one that is taken in again comes back, unless the space has its name."""
    study, found = item.study, _parameters([item])
    if not found:
        return
    name, rows = found[0]["name"], (study.space or {}).get("parameters", [])
    if item.status == ItemRow.Status.DROPPED:
        rows = [row for row in rows if row["name"] != name]
    elif all(row["name"] != name for row in rows):
        rows = [*rows, *found]
    study.space = (study.space or {}) | {"parameters": rows}
    study.save(update_fields=["space", "updated_at"])


def _checked_data(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    if kind != "parameter":
        return data
    try:
        return Parameter.model_validate(data).model_dump(mode="json")
    except ValidationError as fault:
        problems = [
            {"field": ".".join(str(part) for part in error["loc"]), "message": error["msg"]}
            for error in fault.errors()
        ]
        raise BadInput(
            "; ".join(f"{p['field']} {p['message']}".strip() for p in problems), problems
        ) from None
