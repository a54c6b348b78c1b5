"""From what a model says of a document to items that are checked against its pages."""

import math
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import ValidationError

from agents.core.digest import DigestItem, ItemKind, Page
from agents.core.grounding import conflicting_unit, printed_numbers, ungrounded
from agents.core.quantities import parse_value
from agents.core.quotes import same_text, verified_source
from agents.core.science import Bound, Operator, Parameter, Source
from agents.reasoners.language_model.readings import number_of, text_of
from agents.reasoners.language_model.replies import Unusable

KINDS: tuple[str, ...] = get_args(ItemKind)
OPERATORS: dict[str, Operator] = {
    **{op: op for op in get_args(Operator)},
    "≤": "<=",
    "≥": ">=",
    "=": "==",
    "≠": "!=",
}
MISSING = "the quote is not in the document"


def read_item(raw: Any, *, document_id: str, document: str, pages: Sequence[Page]) -> DigestItem | None:
    """Return the item with its quote and its numbers checked; None when ``raw`` is no item.

    What cannot be checked is marked in ``note``, and ``verified`` is False. An unverified limit has no
    predicate: it limits nothing until a person confirms it.
    """
    if not isinstance(raw, dict) or str(raw.get("kind", "")).lower() not in KINDS:
        return None
    kind: Any = str(raw["kind"]).lower()
    quote = text_of(raw.get("quote"))
    text = text_of(raw.get("text")) or quote
    if not text:
        return None
    page = raw.get("page") if isinstance(raw.get("page"), int) else None
    source = Source(origin="document", document_id=document_id, document=document, page=page, quote=quote)
    source = verified_source(source, pages)
    notes = [] if source.verified else [MISSING]
    if source.verified and page is not None and source.page != page:
        notes.append(f"found on page {source.page}, not on page {page}")
    if source.verified and (not printed_numbers(text) <= printed_numbers(quote) or ungrounded(text, [quote])):
        # The words may not hold a number or a unit that the page does not print.
        text = quote
    data, is_sound = _DATA[kind](raw, quote, notes) if kind in _DATA else ({}, True)
    if not is_sound:
        source = source.model_copy(update={"verified": False})
    if kind == "constraint" and not source.verified:
        data = {"predicate": None}
    if kind == "parameter" and "kind" not in data:
        kind = "result"
    return DigestItem(kind=kind, text=text, data=data, source=source, note="; ".join(notes))


def same_item(item: DigestItem) -> tuple[str, str, str]:
    """Return what two items have in common that say the same thing."""
    return item.kind, same_text(item.source.quote or item.text), str(item.data.get("name", ""))


def _constraint(raw: dict[str, Any], quote: str, notes: list[str]) -> tuple[dict[str, Any], bool]:
    name, op = text_of(raw.get("name")), OPERATORS.get(str(raw.get("op", "")).strip())
    value = raw.get("value")
    if not name or op is None or value is None or value == "":
        return {"predicate": None}, True
    number = _number(value)
    if number is None:
        is_there = same_text(str(value)) in same_text(quote)
        level: float | str = str(value)
    else:
        is_there, level = number in printed_numbers(quote), number
    if not is_there:
        notes.append(f"{value} is not in the quote")
        return {"predicate": None}, False
    if number is not None and not _has_unit(number, raw, quote, notes):
        return {"predicate": None}, False
    if number is None and op not in ("==", "!="):
        return {"predicate": None}, True
    return {"predicate": Bound(parameter=name, op=op, value=level).model_dump()}, True


def _parameter(raw: dict[str, Any], quote: str, notes: list[str]) -> tuple[dict[str, Any], bool]:
    name, unit = text_of(raw.get("name")), text_of(raw.get("unit"))
    levels = [_level(level) for level in raw.get("levels") or [] if level not in (None, "")]
    body: dict[str, Any] = {"name": name, "unit": unit}
    if levels:
        is_numeric = all(isinstance(level, float) for level in levels)
        body |= {"kind": "ordered" if is_numeric else "categorical"}
        body["levels"] = levels if is_numeric else [str(raw_level) for raw_level in raw["levels"]]
    else:
        body |= {"kind": "continuous", "low": _number(raw.get("low")), "high": _number(raw.get("high"))}
    try:
        data = Parameter.model_validate(body).model_dump(mode="json")
    except ValidationError:
        notes.append("a factor without usable levels or range")
        return _plain_result(name, None, unit), False
    numbers = {level for level in levels if isinstance(level, float)} or {
        bound for bound in (body.get("low"), body.get("high")) if bound is not None
    }
    words = [] if numbers else [str(level) for level in levels]
    is_sound = all(_has_unit(number, raw, quote, notes) for number in sorted(numbers))
    return data, _all_printed(numbers, words, quote, notes) and is_sound


def _result(raw: dict[str, Any], quote: str, notes: list[str]) -> tuple[dict[str, Any], bool]:
    value = _number(raw.get("value"))
    data = _plain_result(text_of(raw.get("name")), value, text_of(raw.get("unit")))
    conditions = raw.get("conditions")
    data["conditions"] = conditions if isinstance(conditions, dict) else {}
    data["table"] = text_of(raw.get("table"))
    if value is None:
        notes.append("no number")
        return data, True
    is_sound = _has_unit(value, raw, quote, notes)
    return data, _all_printed({value}, [], quote, notes) and is_sound


def _hypothesis(raw: dict[str, Any], quote: str, notes: list[str]) -> tuple[dict[str, Any], bool]:
    return {"refuted_by": text_of(raw.get("refuted_by"))}, True


_DATA = {"constraint": _constraint, "parameter": _parameter, "result": _result, "hypothesis": _hypothesis}


def _plain_result(name: str, value: float | None, unit: str) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "conditions": {}, "table": ""}


def _all_printed(numbers: set[float], words: list[str], quote: str, notes: list[str]) -> bool:
    printed = printed_numbers(quote)
    missing = [f"{number:g}" for number in sorted(numbers) if number not in printed]
    missing += [word for word in words if same_text(word) not in same_text(quote)]
    if missing:
        notes.append(f"not in the quote: {', '.join(missing)}")
    return not missing


def _has_unit(value: float, raw: dict[str, Any], quote: str, notes: list[str]) -> bool:
    """Return False, with a note, when the quote prints ``value`` with another unit than the model says."""
    unit = text_of(raw.get("unit"))
    printed = conflicting_unit(value, unit, quote)
    if printed:
        notes.append(f"the quote prints {printed}, not {value:g} {unit}")
    return not printed


def _level(value: Any) -> float | str:
    number = _number(value)
    return str(value) if number is None else number


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return parse_value(value)
    try:
        number = number_of(value, "value", [])
    except Unusable:
        return None
    return number if math.isfinite(number) else None
