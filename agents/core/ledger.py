"""The ledger gate: what stands against an experiment before a person sees it, and what the ledger knows near it."""

import heapq
import math
import statistics
from typing import Any, Literal

from agents.core.constraints import is_number, outside_space, same_level, violations
from agents.core.measurement import Experiment, conditions_digest, independent
from agents.core.proposal import Neighbour
from agents.core.science import Conditions, Constraint, Parameter, Space, Value

REPEAT_SHARE = 0.001
"""Continuous values closer than this share of their range count as the same experiment."""

LedgerProblemKind = Literal["repeat", "near_repeat", "constraint", "outside_space", "budget"]


class LedgerProblem(Value):
    """One reason why an experiment may not be proposed. ``message`` is a sentence for people.

    ``experiment_id`` names the earlier experiment of a repeat, ``constraint_id`` the broken constraint.
    """

    kind: LedgerProblemKind
    message: str
    experiment_id: str = ""
    constraint_id: str = ""
    parameters: list[str] = []


class Noise(Value):
    """The standard deviation ``sd`` of one measurement, with its ``degrees`` of freedom.

    It is pooled over replicates at ``groups`` conditions that were measured more than once. Where nothing was,
    ``is_stated`` says that it is what people stated for ``groups`` measurements.
    """

    sd: float
    degrees: int
    groups: int
    is_stated: bool = False


def judge(
    conditions: Conditions,
    *,
    rows: list[Experiment],
    space: Space,
    constraints: list[Constraint],
    is_replicate: bool = False,
    budget_left: int | None = None,
    tolerance: float = REPEAT_SHARE,
) -> list[LedgerProblem]:
    """Return everything that stands against an experiment at ``conditions``; empty when it may be proposed.

    A repeat passes only as a declared replicate. ``budget_left`` counts experiments; None is no limit.
    """
    found = [
        LedgerProblem(kind="outside_space", message=fault.message, parameters=fault.parameters)
        for fault in outside_space(conditions, space)
    ]
    found += [
        LedgerProblem(
            kind="constraint",
            message=fault.message,
            constraint_id=fault.constraint_id,
            parameters=fault.parameters,
        )
        for fault in violations(conditions, constraints, space)
    ]
    if not is_replicate:
        found += _repeats(conditions, rows, space, tolerance)
    if budget_left is not None and budget_left <= 0:
        found.append(LedgerProblem(kind="budget", message="The budget has no experiment left."))
    return found


def judge_list(
    planned: list[Conditions],
    *,
    rows: list[Experiment],
    space: Space,
    constraints: list[Constraint],
    is_replicate: bool = False,
    budget_left: int | None = None,
) -> list[list[LedgerProblem]]:
    """Return what stands against each of several experiments that are proposed together, as ``judge`` does.

    They share what is left of the budget, and none may repeat another one of the list, replicate or not.
    """
    found = []
    for place, conditions in enumerate(planned):
        problems = judge(
            conditions,
            rows=rows,
            space=space,
            constraints=constraints,
            is_replicate=is_replicate,
            budget_left=None if budget_left is None else budget_left - place,
        )
        earlier = [Experiment(id="", planned=one, status="planned") for one in planned[:place]]
        twice = "The same conditions stand in this list already; repeat a measurement in a round of its own."
        problems += [
            problem.model_copy(update={"message": twice})
            for problem in _repeats(conditions, earlier, space, REPEAT_SHARE)
        ]
        found.append(problems)
    return found


def nearest(
    conditions: Conditions, rows: list[Experiment], space: Space, limit: int = 3, *, objective: str = ""
) -> list[Neighbour]:
    """Return the measured experiments closest to ``conditions``, nearest first, each with what differs.

    Distance is the mean over parameters of the share of the range that differs; unequal levels of a
    categorical parameter count 1. Of equally near ones the later comes first. ``objective`` chooses the
    value shown; without it the first one measured.
    """
    measured = [(row, value) for row in rows if (value := _shown_value(row, objective)) is not None]
    order = heapq.nsmallest(
        limit,
        enumerate(measured),
        key=lambda item: (distance(conditions, item[1][0].conditions, space), -item[0]),
    )
    return [
        Neighbour(
            experiment_id=row.id,
            value=value[0],
            unit=value[1],
            round=row.round,
            run=row.run,
            differs=_differences(conditions, row.conditions, space),
        )
        for _, (row, value) in order
    ]


def distance(a: Conditions, b: Conditions, space: Space) -> float:
    """Return how far apart two conditions are, from 0 (the same) to 1 (every parameter at the other end)."""
    if not space.parameters:
        return 0.0
    return statistics.fmean(_gap(a.get(p.name), b.get(p.name), p) for p in space.parameters)


def novelty(conditions: Conditions, rows: list[Experiment], space: Space) -> float:
    """Return how far ``conditions`` are from every measured experiment: 1 while there is none."""
    measured = [row for row in rows if _shown_value(row, "") is not None]
    return min((distance(conditions, row.conditions, space) for row in measured), default=1.0)


def noise(rows: list[Experiment], objective: str) -> Noise | None:
    """Return how far a measurement of ``objective`` scatters, or None when nothing tells.

    Replicates tell it, rows at equal conditions and readings within a row alike; where nothing was measured
    twice, the uncertainties that were stated. Reading one row of a data set again is no replicate.
    """
    groups: dict[str, list[float]] = {}
    for row in independent(rows):
        values = row.values_of(objective)
        if values:
            groups.setdefault(conditions_digest(row.conditions), []).extend(values)
    repeated = [values for values in groups.values() if len(values) > 1]
    degrees = sum(len(values) - 1 for values in repeated)
    if not degrees:
        return _stated(rows, objective)
    squares = sum(statistics.variance(values) * (len(values) - 1) for values in repeated)
    return Noise(sd=math.sqrt(squares / degrees), degrees=degrees, groups=len(repeated))


def _stated(rows: list[Experiment], objective: str) -> Noise | None:
    stated = [
        measurement.uncertainty
        for row in rows
        for measurement in row.measurements
        if measurement.objective == objective
        and measurement.status == "ok"
        and measurement.uncertainty is not None
    ]
    if not stated:
        return None
    sd = math.sqrt(statistics.fmean(value**2 for value in stated))
    return Noise(sd=sd, degrees=2 * len(stated), groups=len(stated), is_stated=True)


def _repeats(
    conditions: Conditions, rows: list[Experiment], space: Space, tolerance: float
) -> list[LedgerProblem]:
    """Return the first exact repeat, else the first one within tolerance."""
    near: list[LedgerProblem] = []
    for row in rows:
        gaps = [_gap(conditions.get(p.name), row.conditions.get(p.name), p) for p in space.parameters]
        if gaps and all(gap == 0 for gap in gaps):
            return [_repeat("repeat", "These conditions are", row)]
        is_near = all(
            gap <= (tolerance if p.kind in ("continuous", "mixture") else 0)
            for gap, p in zip(gaps, space.parameters, strict=True)
        )
        if gaps and is_near and not near:
            near.append(_repeat("near_repeat", "Within tolerance, these conditions are", row))
    return near


def _repeat(kind: LedgerProblemKind, opening: str, row: Experiment) -> LedgerProblem:
    where = f"in {row.place}" if row.place else "in the data that came with the study"
    states = {"planned": "already planned", "measured": "already measured"}
    state = states.get(row.status, f"already tried ({row.status})")
    message = f"{opening} {state} {where}; declare a replicate to repeat them."
    return LedgerProblem(kind=kind, message=message, experiment_id=row.id)


def _gap(a: Any, b: Any, parameter: Parameter) -> float:
    """Return the difference as a share of the range; 1 for unequal levels and for a missing value."""
    if a is None or b is None:
        return 1.0
    if same_level(a, b):
        return 0.0
    if not (is_number(a) and is_number(b)):
        return 1.0
    numbers = [float(level) for level in parameter.levels if is_number(level)]
    low = min(numbers) if numbers else parameter.low
    high = max(numbers) if numbers else parameter.high
    if low is None or high is None or high <= low:
        return 1.0
    return min(1.0, abs(float(a) - float(b)) / (high - low))


def _shown_value(row: Experiment, objective: str) -> tuple[float, str] | None:
    for measurement in row.measurements:
        is_wanted = measurement.objective == objective if objective else True
        if is_wanted and measurement.status == "ok" and measurement.value is not None:
            return measurement.value, measurement.unit
    return None


def _differences(wanted: Conditions, there: Conditions, space: Space) -> dict[str, list[Any]]:
    return {
        p.name: [there.get(p.name), wanted.get(p.name)]
        for p in space.parameters
        if _gap(there.get(p.name), wanted.get(p.name), p) > 0
    }
