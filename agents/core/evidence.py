"""Each result is filed for, against or inconclusive, by rule and before the next proposal."""

from typing import Any

from agents.core.measurement import Experiment
from agents.core.science import Objective


def judge_evidence(
    experiment: Experiment,
    prediction: dict[str, Any] | None,
    rows: list[Experiment],
    objectives: list[Objective],
) -> dict[str, Any]:
    """Return how ``experiment`` bears on the hypothesis that made ``prediction``.

    The result has ``stance`` (for: the value is in the predicted interval; against: it is outside by more
    than its own uncertainty; inconclusive: no value, no prediction that tests it, too close to the edge, or
    done at other conditions than those that the prediction was made for; ``reason`` then says so),
    ``inside`` (None when it cannot be scored), ``value``, ``error`` (value - predicted mean) and
    ``is_best`` (better than every earlier row by more than the noise).
    """
    objective = objectives[0] if objectives else None
    value = experiment.value_of(objective.name) if objective else None
    if objective is None or value is None:
        return {"stance": "inconclusive", "inside": None, "value": None, "is_best": False}
    noise = next((m.sigma for m in experiment.measurements if m.objective == objective.name), None)
    result: dict[str, Any] = {
        "value": value,
        "objective": objective.name,
        "unit": objective.unit,
        "is_best": _is_best(value, noise or 0.0, rows, objective),
    }
    if prediction is None or prediction.get("objective") != objective.name:
        return {**result, "stance": "inconclusive", "inside": None}
    if experiment.departures:
        return {**result, "stance": "inconclusive", "inside": None, "reason": _departed(experiment)}
    low, high = float(prediction["low"]), float(prediction["high"])
    inside = low <= value <= high
    miss = max(low - value, value - high, 0.0)
    if not prediction.get("tests_hypothesis", True):
        return {**result, "stance": "inconclusive", "inside": inside}
    stance = "for" if inside else "against" if miss > (noise or 0.0) else "inconclusive"
    return {
        **result,
        "stance": stance,
        "inside": inside,
        "error": round(value - float(prediction["mean"]), 6),
    }


def _departed(experiment: Experiment) -> str:
    told = [
        f"{name} was {experiment.actual[name]} instead of {experiment.planned.get(name)}"
        for name in experiment.departures
    ]
    return f"Not scored, since it was not done as predicted for: {', '.join(told)}."


def _is_best(value: float, noise: float, rows: list[Experiment], objective: Objective) -> bool:
    earlier = [objective.utility(v) for row in rows if (v := row.value_of(objective.name)) is not None]
    return not earlier or objective.utility(value) - max(earlier) > noise
