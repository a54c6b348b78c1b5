"""Answers of the optimiser to those who ask it: what to do next, and what to measure again."""

import math

import numpy as np

from agents.core.brief import Brief
from agents.core.measurement import Experiment
from agents.core.suggestions import Expected, Repeat, Suggestion
from agents.core.workflow import actions_of
from agents.reasoners.optimiser.belief import Belief, raw_utilities
from agents.reasoners.optimiser.choice import Choice, Search, choose
from agents.reasoners.optimiser.guidance import read_guidance
from agents.reasoners.optimiser.observations import Noise, Point, observe
from agents.reasoners.optimiser.pool import Pool
from agents.reasoners.optimiser.proposing import belief_of, reason_for
from agents.reasoners.optimiser.replicates import (
    ONE_SIDED_90,
    REPEATS_TO_CONFIRM,
    due_replicate,
    is_looked_up,
    noise_there,
    unknown_noise_reason,
)
from agents.reasoners.optimiser.statements import guidance_reason, interval
from agents.reasoners.optimiser.words import difference, quantity


def next_candidates(brief: Brief, pool: Pool, *, count: int, seed: int) -> list[Suggestion]:
    """Return up to ``count`` experiments, best first, each chosen as if those before it were under way.

    None repeats what was measured, planned or vetoed; fewer come when nothing else is open.
    """
    found: list[Suggestion] = []
    wishes = [read_guidance(item.text, brief.protocol.space) for item in brief.guidance]
    while len(found) < count:
        planned = [
            Experiment(id=f"planned {n}", planned=each.conditions, status="planned", round=brief.round)
            for n, each in enumerate(found, start=1)
        ]
        asked = brief.model_copy(update={"experiments": [*brief.experiments, *planned]})
        observations = observe(asked, pool.encoding)
        belief = belief_of(asked, pool, observations)
        rng = np.random.default_rng([seed, 3, len(asked.experiments)])
        choice = choose(Search(pool, observations, belief, brief.protocol.constraints, wishes, 0, rng))
        if choice is None:
            break
        told = f"{reason_for(asked, observations, belief, choice)} {guidance_reason(wishes, choice)}".strip()
        found.append(
            Suggestion(
                conditions=choice.conditions,
                expected=_expected(belief, choice),
                gain=choice.gain,
                reason=told,
            )
        )
    return found


def _expected(belief: Belief | None, choice: Choice) -> list[Expected]:
    if belief is None:
        return []
    found = []
    for place, objective in enumerate(belief.objectives):
        mean, sd = (float(part[0]) for part in belief.predict(choice.features[None])[place])
        low, high = interval(objective, mean, math.hypot(sd, belief.measuring_sd(place)))
        figures = {"mean": min(max(mean, low), high), "low": low, "high": high}
        rounded = {name: round(value, 6) for name, value in figures.items()}
        found.append(Expected(objective=objective.name, unit=objective.unit, **rounded))
    return found


def worth_repeating(brief: Brief, pool: Pool, *, count: int) -> list[Repeat]:
    """Return measured conditions whose repetition would tell most, best first; none where it tells nothing.

    First what the optimiser itself would repeat; while nobody knows the noise, the best so far; else those
    that cannot be told apart from the best. Several objectives are compared by their first two rules only.
    """
    observations = observe(brief, pool.encoding)
    complete, utilities = raw_utilities(observations, brief.protocol.objectives)
    noise = noise_there(brief, observations)
    if not complete or (is_looked_up(brief) and not noise.is_known):
        return []
    points = [observations.points[k] for k in complete]
    found: list[tuple[Point, str]] = []
    due = due_replicate(brief, observations)
    if due is not None:
        found += [(point, due[1]) for point in points if point.conditions == due[0]]
    best = int(np.argmax(utilities))
    if not noise.is_known:
        found.append((points[best], unknown_noise_reason()))
    elif len(brief.protocol.objectives) == 1:
        found += _rivals(brief, points, [float(u) for u in utilities], best, noise)
    open_points = [(point, why) for point, why in found if not _is_settled(brief, point)]
    distinct = {id(point): (point, why) for point, why in reversed(open_points)}
    return [_repeat(brief, point, why, noise) for point, why in reversed(distinct.values())][:count]


def _rivals(
    brief: Brief, points: list[Point], utilities: list[float], best: int, noise: Noise
) -> list[tuple[Point, str]]:
    """Return, closest first, the pairs that noise cannot tell apart: the side that was measured less often."""
    objective = brief.protocol.objectives[0]
    found = []
    for place, point in enumerate(points):
        if place == best:
            continue
        ours, theirs = len(points[best].values[objective.name]), len(point.values[objective.name])
        band = ONE_SIDED_90 * noise.sd * math.sqrt(1.0 / ours + 1.0 / theirs)
        lead = utilities[best] - utilities[place]
        if lead < band:
            why = (
                f"Two conditions differ by {difference(lead, objective)}, and with {ours} and {theirs} "
                f"measurements anything below {quantity(band, objective.unit)} is inside the noise: nobody can "
                "say yet which one is best. This one was measured less often, or as often and is the best so far."
            )
            found.append((lead, points[best] if ours <= theirs else point, why))
    return [(point, why) for _, point, why in sorted(found, key=lambda each: each[0])]


def _is_settled(brief: Brief, point: Point) -> bool:
    refused = [action.arguments for veto in brief.vetoes for action in actions_of(veto.action)]
    return len(point.rows) >= REPEATS_TO_CONFIRM or point.conditions in refused


def _repeat(brief: Brief, point: Point, why: str, noise: Noise) -> Repeat:
    objective = brief.protocol.objectives[0]
    return Repeat(
        conditions=point.conditions,
        measured=len(point.rows),
        mean=point.mean(objective.name),
        spread=noise.sd if noise.is_known else None,
        unit=objective.unit,
        reason=why,
    )
