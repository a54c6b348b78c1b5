"""When there is nothing more to gain or nothing left to spend."""

from agents.core.brief import Brief
from agents.core.budget import exhausted
from agents.core.science import Objective
from agents.reasoners.optimiser.belief import raw_utilities
from agents.reasoners.optimiser.observations import Noise, Observations
from agents.reasoners.optimiser.words import called, conditions_text, quantity

_CONFIRMED = 2


def reason_to_end(brief: Brief, observations: Observations) -> str:
    """Return why the run should end before another experiment, or an empty text.

    The limit of a response counts as reached when two measurements at the same conditions say so within a known
    noise: a single lucky value ends nothing. It is said once, right after the second one; when people want to
    go on, the search goes on.
    """
    spent = [name for name in exhausted(brief.budget, brief.spent) if name in ("experiments", "rounds")]
    if spent:
        return f"The budget has no {' and no '.join(spent)} left."
    objective = brief.protocol.objectives[0]
    if len(brief.protocol.objectives) > 1 or not _just_reached(brief, observations, objective):
        return ""
    limit = quantity(_limit(objective) or 0.0, objective.unit)
    return f"The {called(objective)} has reached the best value it can have, {limit}, within the noise."


def best_so_far(brief: Brief, observations: Observations) -> str:
    """Return the best measured conditions with their value as a sentence, or that there is none."""
    complete, utilities = raw_utilities(observations, brief.protocol.objectives)
    if not complete:
        return "No experiment gave a value."
    point = observations.points[complete[int(utilities.argmax())]]
    values = ", ".join(
        f"{called(o)} {quantity(point.mean(o.name), o.unit)}" for o in brief.protocol.objectives
    )
    repeats = len(point.values[brief.protocol.objectives[0].name])
    how = f" (mean of {repeats} measurements)" if repeats > 1 else ""
    return f"Best measured: {values}{how} at {conditions_text(point.conditions, brief.protocol.space)}."


def _just_reached(brief: Brief, observations: Observations, objective: Objective) -> bool:
    latest = observations.latest
    if latest is None or latest.round is None or latest.round != brief.round - 1 or _limit(objective) is None:
        return False
    point = next((p for p in observations.points if latest in p.rows), None)
    noise = observations.noise[objective.name]
    if point is None or not noise.is_known or len(point.values[objective.name]) != _CONFIRMED:
        return False
    return _reaches(objective, point.mean(objective.name), noise)


def _limit(objective: Objective) -> float | None:
    """Return the best value that the response can have, when the study states it."""
    return {"maximise": objective.high, "minimise": objective.low, "target": objective.target}[objective.goal]


def _reaches(objective: Objective, mean: float, noise: Noise) -> bool:
    limit = _limit(objective)
    assert limit is not None
    return objective.utility(mean) >= objective.utility(limit) - noise.half_width(_CONFIRMED)
