"""When there is nothing more to gain or nothing left to spend."""

from agents.core.brief import Brief
from agents.core.budget import exhausted
from agents.core.science import Objective
from agents.reasoners.optimiser.belief import raw_utilities
from agents.reasoners.optimiser.observations import Noise, Observations
from agents.reasoners.optimiser.words import called, conditions_text, quantity


def reason_to_end(brief: Brief, observations: Observations) -> str:
    """Return why the run should end before another experiment, or an empty text.

    A limit of the response that is reached is said once, right after the experiment that reached it: when
    people want to go on, the search goes on.
    """
    spent = [name for name in exhausted(brief.budget, brief.spent) if name in ("experiments", "rounds")]
    if spent:
        return f"The budget has no {' and no '.join(spent)} left."
    objective = brief.protocol.objectives[0]
    if len(brief.protocol.objectives) > 1 or not _just_reached(brief, observations, objective):
        return ""
    return f"The {called(objective)} has reached the best value it can have, {quantity(_limit(objective), objective.unit)}."


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
    is_last_round = latest is not None and latest.round is not None and latest.round == brief.round - 1
    if latest is None or not is_last_round or _has_none(objective):
        return False
    noise = observations.noise[objective.name]
    reached = [
        row.id for row in brief.experiments if _reaches(objective, row.value_of(objective.name), noise)
    ]
    return reached == [latest.id]


def _has_none(objective: Objective) -> bool:
    return {"maximise": objective.high, "minimise": objective.low, "target": objective.target}[
        objective.goal
    ] is None


def _limit(objective: Objective) -> float:
    limit = {"maximise": objective.high, "minimise": objective.low, "target": objective.target}[
        objective.goal
    ]
    assert limit is not None
    return limit


def _reaches(objective: Objective, value: float | None, noise: Noise) -> bool:
    return (
        value is not None
        and objective.utility(value) >= objective.utility(_limit(objective)) - noise.half_width()
    )
