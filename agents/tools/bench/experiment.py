"""From the result of an experiment tool to the ledger row that it stands for."""

import math
import statistics
from typing import Any, Literal

from agents.core.constraints import same_level
from agents.core.measurement import Experiment, Measurement
from agents.core.science import Conditions, Objective
from agents.core.text import shorten
from agents.core.tools import Action

READINGS = 200
"""Single readings that a row keeps of a result that is too long for the log; the artifact has them all."""

_ROW_FIELDS = ("actual", "status", "operator", "instrument", "note", "measured_at", "attachments")

RowStatus = Literal["planned", "measured", "failed", "abandoned"]


def measured_row(action: Action, data: dict[str, Any], objectives: list[Objective]) -> Experiment:
    """Return the row of a ``measure`` result: one value an objective."""
    return Experiment(
        id="",
        planned=action.arguments,
        measurements=[
            Measurement(objective=o.name, value=data[o.name], unit=o.unit)
            for o in objectives
            if o.name in data
        ],
        origin="tool",
        instrument=action.tool,
    )


def entered_row(action: Action, data: dict[str, Any], objectives: list[Objective]) -> Experiment:
    """Return the row of a person's checked entry, with the actual conditions where they differ from the plan."""
    entries = data.get("measurements", {})
    measurements = [
        Measurement(
            objective=o.name,
            value=entries[o.name].get("value"),
            unit=entries[o.name].get("unit") or o.unit,
            uncertainty=entries[o.name].get("uncertainty"),
            status=entries[o.name].get("status", "ok"),
            note=entries[o.name].get("note", ""),
            replicates=entries[o.name].get("replicates", []),
        )
        for o in objectives
        if o.name in entries
    ]
    return Experiment(
        id="",
        planned=action.arguments,
        actual=_differing(data.get("actual", {}), action.arguments),
        measurements=measurements,
        status=_row_status(data.get("status", "ok"), measurements),
        origin="person",
        operator=data.get("operator", ""),
        instrument=data.get("instrument", ""),
        note=data.get("note", ""),
        measured_at=data.get("measured_at", ""),
        attachments=data.get("attachments", []),
    )


def ledger_part(data: dict[str, Any], objectives: list[Objective]) -> dict[str, Any]:
    """Return what of an experiment's result its ledger row is made of: small, whatever else came with it.

    More than ``READINGS`` single readings are told by their mean and its standard deviation; text is cut.
    """
    part = {name: data[name] for name in (*(o.name for o in objectives), *_ROW_FIELDS) if name in data}
    part = {name: shorten(value, 2000) if isinstance(value, str) else value for name, value in part.items()}
    entries = data.get("measurements")
    if isinstance(entries, dict):
        part["measurements"] = {
            o.name: _told_briefly(entries[o.name])
            for o in objectives
            if isinstance(entries.get(o.name), dict)
        }
    return part


def _told_briefly(entry: dict[str, Any]) -> dict[str, Any]:
    readings = entry.get("replicates") or []
    if len(readings) <= READINGS:
        return entry
    brief = {name: value for name, value in entry.items() if name != "replicates"}
    if brief.get("value") is None:
        brief["value"] = statistics.fmean(readings)
    if brief.get("uncertainty") is None:
        brief["uncertainty"] = statistics.stdev(readings) / math.sqrt(len(readings)) or None
    return brief


def _differing(actual: Conditions, planned: Conditions) -> Conditions:
    return {
        name: value
        for name, value in actual.items()
        if name not in planned or not same_level(value, planned[name])
    }


def _row_status(stated: str, measurements: list[Measurement]) -> RowStatus:
    if stated == "failed":
        return "failed"
    if stated == "abandoned":
        return "abandoned"
    states = {measurement.status for measurement in measurements}
    if not states or states - {"failed", "abandoned", "invalid"}:
        return "measured"
    return "abandoned" if states == {"abandoned"} else "failed"
