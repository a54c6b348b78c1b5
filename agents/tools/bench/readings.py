"""One measurement as a person entered it, brought to the objective's unit: value, replicates, uncertainty."""

import math
import statistics
from typing import Any

from agents.core.science import Objective
from agents.tools.bench.measure import objective_schema
from agents.tools.gate.notes import shown
from agents.tools.gate.words import expectation
from agents.tools.units import UnitMismatch, convert, convert_difference, is_known, same_unit

Problems = list[dict[str, Any]]

WITHOUT_VALUE = ("failed", "abandoned")
LARGEST = 1e150
"""Squares of larger numbers are no numbers any more, and nothing that is measured comes near."""


def settle(entry: dict[str, Any], objective: Objective, problems: Problems) -> None:
    """Convert one measurement in place, take the mean of its replicates, and note what is wrong with it."""
    field = f"measurements.{objective.name}"
    status = entry.setdefault("status", "ok")
    given = {
        name: entry[name] for name in ("value", "replicates", "uncertainty") if entry.get(name) is not None
    }
    if status in WITHOUT_VALUE and given:
        first = next(iter(given))
        note_problem(
            problems, f"{field}.{first}", f"no value for a measurement that is {status}", given[first]
        )
        return
    if entry.get("uncertainty") == 0:
        told = "a number above 0; leave it empty when it is unknown"
        note_problem(problems, f"{field}.uncertainty", told, 0)
        return
    if status == "ok" and not entry.get("replicates") and "value" not in entry:
        expected = f"{expectation(objective_schema(objective))}, or a status other than ok"
        note_problem(problems, f"{field}.value", expected, None)
        return
    if _to_own_unit(entry, objective, field, problems) and _are_usable(entry, field, problems):
        _take_mean(entry, objective, field, problems)


def note_problem(problems: Problems, field: str, expected: str, received: Any, why: str = "") -> None:
    """Add a problem in the words of the gate."""
    got = "nothing" if received is None else shown(received)
    message = f"field {field}: expected {expected}, received {got}{': ' + why if why else ''}"
    problems.append({"field": field, "expected": expected, "received": received, "message": message})


def _to_own_unit(entry: dict[str, Any], objective: Objective, field: str, problems: Problems) -> bool:
    """Convert every number of ``entry``; return False, with the problem noted, when that cannot be done."""
    given = entry.get("unit") or objective.unit
    wanted = objective.unit
    entry["unit"] = wanted
    if same_unit(given, wanted):
        return True
    if not is_known(wanted):
        note_problem(problems, f"{field}.unit", f"the unit {wanted!r}, which cannot be converted", given)
        return False
    try:
        if "value" in entry:
            entry["value"] = convert(entry["value"], given=given, wanted=wanted)
        if "replicates" in entry:
            entry["replicates"] = [convert(each, given=given, wanted=wanted) for each in entry["replicates"]]
        if "uncertainty" in entry:
            entry["uncertainty"] = convert_difference(entry["uncertainty"], given=given, wanted=wanted)
    except UnitMismatch as mismatch:
        expected = f"a unit that converts to {wanted or 'a plain number'}"
        note_problem(problems, f"{field}.unit", expected, given, str(mismatch))
        return False
    return True


def _are_usable(entry: dict[str, Any], field: str, problems: Problems) -> bool:
    for name in ("value", "replicates", "uncertainty"):
        given = entry.get(name)
        numbers = given if isinstance(given, list) else [] if given is None else [given]
        if not all(math.isfinite(each) and abs(each) <= LARGEST for each in numbers):
            note_problem(problems, f"{field}.{name}", f"a number of at most {LARGEST:g}", given)
            return False
    return True


def _take_mean(entry: dict[str, Any], objective: Objective, field: str, problems: Problems) -> None:
    """Check every reading against what is possible; several readings give their mean as the value."""
    readings, value = entry.get("replicates") or [], entry.get("value")
    possible = expectation(objective_schema(objective))
    if entry["status"] == "ok":
        for place, reading in enumerate(readings):
            if not _is_possible(reading, objective):
                note_problem(problems, f"{field}.replicates[{place}]", possible, reading)
                return
        if value is not None and not _is_possible(value, objective):
            note_problem(problems, f"{field}.value", possible, value)
            return
    elif readings:
        expected = "no replicates for a detection limit: enter the limit as the value"
        note_problem(problems, f"{field}.replicates", expected, readings)
        return
    if readings:
        _settle_readings(entry, field, problems)
    else:
        entry.pop("replicates", None)


def _settle_readings(entry: dict[str, Any], field: str, problems: Problems) -> None:
    readings, value = entry["replicates"], entry.get("value")
    mean = float(f"{statistics.fmean(readings):.12g}")
    if value is not None and not math.isclose(value, mean, rel_tol=1e-6, abs_tol=1e-12):
        expected = f"the mean of the replicates, {mean:g}, or no value beside them"
        note_problem(problems, f"{field}.value", expected, value)
        return
    entry["value"] = mean
    if len(readings) == 1:
        del entry["replicates"]


def _is_possible(value: float, objective: Objective) -> bool:
    low, high = objective.low, objective.high
    return (low is None or value >= low) and (high is None or value <= high)
