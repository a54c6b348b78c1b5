"""What a person entered, checked: units converted, ranges and statuses as the protocol says."""

from datetime import datetime
from typing import Any

from agents.core.errors import BadInput
from agents.core.science import Objective, Space
from agents.tools.bench.ask import STATUSES, result_schema
from agents.tools.bench.readings import WITHOUT_VALUE, Problems, note_problem, settle
from agents.tools.gate import check_value
from agents.tools.units import same_unit, split_quantity


def check_entry(data: dict[str, Any], *, space: Space, objectives: list[Objective]) -> dict[str, Any]:
    """Return the entry in its full form, values in each objective's own unit.

    Short forms are understood: ``{"yield": 71.2}``, ``{"yield": [71.2, 70.8]}`` for replicates,
    ``{"measurements": {"yield": "71.2 %"}}``. An experiment whose status is failed or abandoned needs no
    measurements. Raises ``BadInput`` with problems that name the field.
    """
    entry = _full_form(data, objectives)
    free = [objective.model_copy(update=_AS_ENTERED) for objective in objectives]
    checked, _ = check_value(entry, result_schema(space, free), what="measurement")
    problems: Problems = []
    measured = checked.get("measurements", {})
    for objective in objectives:
        if objective.name in measured:
            settle(measured[objective.name], objective, problems)
            _hold_against_outcome(measured[objective.name], checked.get("status"), objective, problems)
    _settle_time(checked, problems)
    if problems:
        text = "; ".join(problem["message"] for problem in problems)
        raise BadInput(f"measurement: {text}", problems)
    return checked


_AS_ENTERED = {"low": None, "high": None, "unit": ""}
"""The person names the unit, and bounds hold in the objective's: both are looked at after the schema."""


def _full_form(data: dict[str, Any], objectives: list[Objective]) -> dict[str, Any]:
    if not isinstance(data, dict) or not objectives:
        return data
    names = {objective.name for objective in objectives}
    entry = {key: value for key, value in data.items() if key not in names}
    loose = {key: value for key, value in data.items() if key in names}
    given = entry.get("measurements") or {}
    if not isinstance(given, dict):
        return data
    status = entry.get("status")
    blank = {"status": status} if status in WITHOUT_VALUE else {}
    measured: dict[str, Any] = {objective.name: blank for objective in objectives}
    for name, value in {**given, **loose}.items():
        found = _expanded(value)
        measured[name] = _with_outcome(found, blank) if isinstance(found, dict) else found
    return {**entry, "measurements": measured}


def _with_outcome(found: dict[str, Any], blank: dict[str, Any]) -> dict[str, Any]:
    """A measurement without a value shares the fate of its experiment, whatever a form had preset."""
    has_value = any(found.get(name) is not None for name in ("value", "replicates"))
    return {**blank, **found} if has_value or not blank else {**found, **blank}


def _expanded(value: Any) -> Any:
    """Return a bare value as a measurement; a text such as ``71.2 %`` keeps its unit apart."""
    if isinstance(value, str) and value.strip() in STATUSES:
        return {"status": value.strip()}
    if isinstance(value, list):
        return {"replicates": value}
    if isinstance(value, dict):
        return _with_split_value(value)
    return {} if value is None else _with_split_value({"value": value})


def _with_split_value(entry: dict[str, Any]) -> dict[str, Any]:
    value, unit = entry.get("value"), entry.get("unit")
    found = split_quantity(value) if isinstance(value, str) else None
    if found is None or not found[1] or (unit and not same_unit(unit, found[1])):
        return entry
    return {**entry, "value": found[0], "unit": found[1]}


def _hold_against_outcome(
    measured: dict[str, Any], outcome: str | None, objective: Objective, problems: Problems
) -> None:
    if outcome in WITHOUT_VALUE and measured["status"] not in WITHOUT_VALUE and not problems:
        expected = f"no value of an experiment that {outcome}, or the outcome ok"
        note_problem(problems, f"measurements.{objective.name}.value", expected, measured.get("value"))


def _settle_time(entry: dict[str, Any], problems: Problems) -> None:
    """Bring the time to one spelling; a time without its zone could mean several moments."""
    text = entry.get("measured_at", "").strip()
    if not text:
        entry.pop("measured_at", None)
        return
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        expected = "date, time and time zone, such as 2026-11-30T14:05+01:00"
        note_problem(problems, "measured_at", expected, text)
        return
    entry["measured_at"] = moment.isoformat(timespec="seconds")
