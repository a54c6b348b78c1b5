"""What a person entered, checked: units converted, ranges and statuses as the protocol says."""

from typing import Any

from agents.core.errors import BadInput
from agents.core.science import Objective, Space
from agents.tools.bench.ask import STATUSES, result_schema
from agents.tools.bench.measure import objective_schema
from agents.tools.gate import check_value
from agents.tools.gate.notes import shown
from agents.tools.gate.words import expectation
from agents.tools.units import UnitMismatch, convert, convert_difference, is_known, same_unit, split_quantity

_WITHOUT_VALUE = ("failed", "abandoned")


def check_entry(data: dict[str, Any], *, space: Space, objectives: list[Objective]) -> dict[str, Any]:
    """Return the entry in its full form, values in each objective's own unit.

    Short forms are understood: ``{"yield": 71.2}``, ``{"measurements": {"yield": "71.2 %"}}``. An experiment
    whose status is failed or abandoned needs no measurements. Raises ``BadInput`` with problems that name
    the field.
    """
    entry = _full_form(data, objectives)
    free = [objective.model_copy(update=_AS_ENTERED) for objective in objectives]
    checked, _ = check_value(entry, result_schema(space, free), what="measurement")
    problems: list[dict[str, Any]] = []
    measured = checked.get("measurements", {})
    for objective in objectives:
        if objective.name in measured:
            _settle(measured[objective.name], objective, problems)
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
    blank = {"status": status} if status in _WITHOUT_VALUE else {}
    measured: dict[str, Any] = {objective.name: blank for objective in objectives}
    for name, value in {**given, **loose}.items():
        found = _expanded(value)
        measured[name] = {**blank, **found} if isinstance(found, dict) else found
    return {**entry, "measurements": measured}


def _expanded(value: Any) -> Any:
    """Return a bare value as a measurement; a text such as ``71.2 %`` keeps its unit apart."""
    if isinstance(value, str) and value.strip() in STATUSES:
        return {"status": value.strip()}
    if isinstance(value, dict):
        return _with_split_value(value)
    return {} if value is None else _with_split_value({"value": value})


def _with_split_value(entry: dict[str, Any]) -> dict[str, Any]:
    value, unit = entry.get("value"), entry.get("unit")
    found = split_quantity(value) if isinstance(value, str) else None
    if found is None or not found[1] or (unit and not same_unit(unit, found[1])):
        return entry
    return {**entry, "value": found[0], "unit": found[1]}


def _settle(entry: dict[str, Any], objective: Objective, problems: list[dict[str, Any]]) -> None:
    """Convert one measurement in place and note what is wrong with it."""
    field = f"measurements.{objective.name}"
    status = entry.setdefault("status", "ok")
    if status in _WITHOUT_VALUE and ("value" in entry or "uncertainty" in entry):
        _note(problems, f"{field}.value", f"no value for a measurement that is {status}", entry.get("value"))
        return
    if status == "ok" and "value" not in entry:
        _note(
            problems,
            f"{field}.value",
            f"{expectation(objective_schema(objective))}, or a status other than ok",
            None,
        )
        return
    _to_own_unit(entry, objective, field, problems)
    value = entry.get("value")
    if value is not None and status == "ok" and not _is_possible(value, objective):
        _note(problems, f"{field}.value", expectation(objective_schema(objective)), value)


def _to_own_unit(
    entry: dict[str, Any], objective: Objective, field: str, problems: list[dict[str, Any]]
) -> None:
    given = entry.get("unit") or objective.unit
    if same_unit(given, objective.unit):
        entry["unit"] = objective.unit
        return
    if not is_known(objective.unit):
        _note(problems, f"{field}.unit", f"the unit {objective.unit!r}, which cannot be converted", given)
        return
    try:
        if "value" in entry:
            entry["value"] = convert(entry["value"], given=given, wanted=objective.unit)
        if "uncertainty" in entry:
            entry["uncertainty"] = convert_difference(
                entry["uncertainty"], given=given, wanted=objective.unit
            )
    except UnitMismatch as mismatch:
        _note(
            problems,
            f"{field}.unit",
            f"a unit that converts to {objective.unit or 'a plain number'}",
            given,
            str(mismatch),
        )
        return
    entry["unit"] = objective.unit


def _is_possible(value: float, objective: Objective) -> bool:
    low, high = objective.low, objective.high
    return (low is None or value >= low) and (high is None or value <= high)


def _note(problems: list[dict[str, Any]], field: str, expected: str, received: Any, why: str = "") -> None:
    got = "nothing" if received is None else shown(received)
    message = f"field {field}: expected {expected}, received {got}{': ' + why if why else ''}"
    problems.append({"field": field, "expected": expected, "received": received, "message": message})
