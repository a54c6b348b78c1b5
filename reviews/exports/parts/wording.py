"""Values as a report says them: times, actions, measurements, predictions."""

from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _
from pydantic import ValidationError

from agents.core.constraints import is_number
from agents.core.measurement import Attachment, Measurement
from agents.core.science import Conditions, Source, Space
from agents.core.tools import Action
from agents.core.workflow import actions_of
from reviews.present import words
from reviews.present.figures import measured, number, quantity

NOTHING = "–"


def moment(at: datetime | str | None) -> str:
    """Return a time in UTC to the second."""
    if not at:
        return NOTHING
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def value_text(value: Any) -> str:
    """Return a plain JSON value in words."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return ", ".join(f"{name} {value_text(inner)}" for name, inner in value.items()) or NOTHING
    if isinstance(value, list):
        return ", ".join(value_text(inner) for inner in value) or NOTHING
    return number(value)


def action_text(action: dict[str, Any] | None) -> str:
    """Return a tool with its arguments on one line."""
    if not action:
        return NOTHING
    parts = actions_of(Action.model_validate(action))
    return "; ".join(f"{part.tool}: {value_text(part.arguments)}" for part in parts)


def conditions_text(conditions: Conditions, space: Space) -> str:
    """Return conditions on one line, each with its unit."""
    units = {parameter.name: parameter.unit for parameter in space.parameters}
    parts = [f"{name} {with_unit(value, units.get(name, ''))}" for name, value in conditions.items()]
    return ", ".join(parts) or NOTHING


def with_unit(value: Any, unit: str) -> str:
    """Return a level with its unit; text levels have none."""
    return quantity(value, unit) if is_number(value) else value_text(value)


def measurement_text(measurement: Measurement) -> str:
    """Return value, uncertainty and unit; a status other than ok is said, with the limit that was met. Of
    replicates the mean is shown with their spread and number."""
    value = measured(measurement.value, measurement.uncertainty, measurement.unit)
    if measurement.replicates:
        value = _("%(mean)s (spread %(spread)s, %(count)s readings)") % {
            "mean": value,
            "spread": number(measurement.spread, digits=2),
            "count": len(measurement.replicates),
        }
    if measurement.status == "ok":
        return value
    state = str(words.word("measurement", measurement.status).label)
    return state if measurement.value is None else f"{state} ({value})"


def entered_text(entry: dict[str, Any]) -> str:
    """Return what a person entered: each measurement in words, then what else was said and is not the usual."""
    parts = []
    given = entry.get("measurements")
    rest = {name: value for name, value in entry.items() if value not in (None, "", [], {})}
    if isinstance(given, dict):
        rest.pop("measurements", None)
        for name, row in given.items():
            parts.append(f"{name} {_reading_text(name, row)}")
        state = rest.pop("status", "ok")
        if state != "ok":
            parts.append(str(words.word("measurement", str(state)).label))
    parts += [f"{name} {value_text(value)}" for name, value in rest.items()]
    return ", ".join(parts) or NOTHING


def _reading_text(name: str, row: Any) -> str:
    known = (
        {key: value for key, value in row.items() if key in Measurement.model_fields}
        if isinstance(row, dict)
        else {}
    )
    try:
        found = Measurement.model_validate({**known, "objective": name})
    except ValidationError:
        return value_text(row)
    if not known:
        return value_text(row)
    return measurement_text(found) + (f" ({found.note})" if found.note else "")


def attachment_text(file: Attachment) -> str:
    """Return a file's name with its whole hash, by which it can be found and told apart for ever."""
    return f"{file.name} (SHA-256 {file.content_hash})"


def prediction_text(prediction: dict[str, Any] | None) -> str:
    """Return ``50 (5 to 95) %``, or a dash when nothing was predicted."""
    if not prediction:
        return NOTHING
    unit = prediction.get("unit", "")
    return _("%(mean)s (%(low)s to %(high)s)") % {
        "mean": number(prediction["mean"]),
        "low": number(prediction["low"]),
        "high": quantity(prediction["high"], unit),
    }


def stance_text(stance: str) -> str:
    """Return how a result bears on the hypothesis; a dash when it was not filed as evidence."""
    known = {"for": _("for"), "against": _("against"), "inconclusive": _("inconclusive")}
    return known.get(stance, stance or NOTHING)


def place_text(source: Source) -> str:
    """Return where a claim comes from: document and page, and whether the page really says it."""
    if source.origin != "document":
        return _("stated by a person") if source.origin == "person" else _("from the run")
    place = source.document or _("document")
    if source.page is not None:
        place = _("%(document)s, page %(page)s") % {"document": place, "page": source.page}
    if source.quote and not source.verified:
        return _("%(place)s (the quote was not found on this page)") % {"place": place}
    return place


def rounds_text(numbers: list[int | None]) -> str:
    """Return round numbers with runs of them joined: ``1–4, 7``."""
    parts: list[list[int]] = []
    for each in sorted({each for each in numbers if each is not None}):
        if parts and each == parts[-1][-1] + 1:
            parts[-1][-1:] = [parts[-1][-1], each] if len(parts[-1]) == 1 else [each]
        else:
            parts.append([each])
    return ", ".join("–".join(str(end) for end in part) for part in parts) or NOTHING
