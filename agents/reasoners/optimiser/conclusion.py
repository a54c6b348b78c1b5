"""The end of a run in Markdown: the best conditions, what mattered, how good the predictions were."""

import numpy as np

from agents.core.brief import Brief
from agents.core.ledger import noise
from agents.core.measurement import independent
from agents.core.science import Objective
from agents.reasoners.optimiser.belief import Belief, believe, complete_points
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.design import STARTS
from agents.reasoners.optimiser.effects import Effect, effects
from agents.reasoners.optimiser.ending import best_so_far
from agents.reasoners.optimiser.gp import leave_one_out
from agents.reasoners.optimiser.observations import Observations, observe
from agents.reasoners.optimiser.pool import Pool
from agents.reasoners.optimiser.reflection import effect_text, effect_title, filed
from agents.reasoners.optimiser.repeats import repeated
from agents.reasoners.optimiser.statements import NORMAL_90, interval
from agents.reasoners.optimiser.words import called, conditions_text, difference, number, quantity


def conclusion(brief: Brief, pool: Pool) -> str:
    """Return the conclusion of the run in Markdown."""
    observations = observe(brief, pool.encoding)
    objectives = brief.protocol.objectives
    belief = None
    if len(complete_points(observations, objectives)) >= STARTS:
        belief = believe(observations, pool, objectives)
    sections = [
        ("Best conditions", _best_lines(brief, observations, pool, belief)),
        ("What mattered", _effect_lines(brief, observations)),
        ("How far to trust it", _trust_lines(brief, observations, pool, belief)),
    ]
    return "\n\n".join(
        f"### {title}\n\n" + "\n".join(f"- {line}" for line in lines) for title, lines in sections
    )


def _best_lines(brief: Brief, observations: Observations, pool: Pool, belief: Belief | None) -> list[str]:
    lines = [best_so_far(brief, observations)]
    if belief is None:
        return [*lines, "Too few experiments gave a value to model, so there is no model-based best."]
    objectives = brief.protocol.objectives
    complete = complete_points(observations, objectives)
    believed = belief.predict(observations.features[complete])
    place = int(np.argmax(belief.goal.utility([mean for mean, _ in believed])))
    point = observations.points[complete[place]]
    where = conditions_text(point.conditions, brief.protocol.space)
    lines.append(
        f"Best by the model, which evens out noise: {_expected(objectives, believed, place)} at {where}."
    )
    everywhere = belief.everywhere
    limited = [_inside(o, mean) for o, (mean, _) in zip(objectives, everywhere, strict=True)]
    utility = np.where(repeated(pool, observations.taken), -np.inf, belief.goal.utility(limited))
    top = int(np.argmax(utility))
    if utility[top] > belief.best:
        where = conditions_text(pool.conditions(top), brief.protocol.space)
        lines.append(
            f"Not measured, but expected to be better: {_expected(objectives, everywhere, top)} at {where}."
        )
    return lines


def _inside(objective: Objective, values: Array) -> Array:
    low = -np.inf if objective.low is None else objective.low
    high = np.inf if objective.high is None else objective.high
    return np.clip(values, low, high)


def _expected(objectives: list[Objective], beliefs: list[tuple[Array, Array]], place: int) -> str:
    parts = []
    for objective, (mean, sd) in zip(objectives, beliefs, strict=True):
        low, high = interval(objective, float(mean[place]), float(sd[place]))
        middle = interval(objective, float(mean[place]), 0.0)[0]
        figures = f"{quantity(middle, objective.unit)} (90 % interval {number(low)} to {number(high)})"
        parts.append(f"{called(objective)} {figures}")
    return ", ".join(parts)


def _effect_lines(brief: Brief, observations: Observations) -> list[str]:
    objective = brief.protocol.objectives[0]
    found = effects(list(observations.points), brief.protocol.space, objective)
    clear = [_effect_line(effect, brief, objective) for effect in found if effect.is_supported]
    unclear = [called(effect.parameter) for effect in found if not effect.is_supported]
    if unclear:
        clear.append(f"No clear effect in these measurements: {', '.join(unclear)}.")
    return clear or ["There are too few measurements to separate the factors."]


def _effect_line(effect: Effect, brief: Brief, objective: Objective) -> str:
    """Return an effect by all experiments, and why the finding about it says another figure."""
    text = effect_text(effect, objective)
    known = filed(brief.findings, effect_title(effect))
    if known is None or known.text == text:
        return text
    return f"{text} {known.id} gives the figures of when it was filed; these count every experiment since."


def _trust_lines(brief: Brief, observations: Observations, pool: Pool, belief: Belief | None) -> list[str]:
    objective = brief.protocol.objectives[0]
    lines = [_counts(brief, observations)]
    lines.append(_noise_line(observations, objective))
    if belief is not None:
        surrogate = belief.surrogates[0]
        mean, sd = leave_one_out(surrogate)
        inside = int((np.abs(surrogate.values - mean) <= NORMAL_90 * sd).sum())
        lines.append(
            f"Predicting each result from all others, {inside} of {len(mean)} fell inside their 90 % interval; "
            f"the typical miss was {difference(float(np.median(np.abs(surrogate.values - mean))), objective)}."
        )
    size = f"{len(pool):,} legal candidates" if pool.is_complete else "a space too large to list"
    lines.append(
        f"{len(observations.points):,} conditions were measured, of {size}; what lies between is inferred."
    )
    return lines


def _noise_line(observations: Observations, objective: Objective) -> str:
    found = noise([row for point in observations.points for row in point.rows], objective.name)
    if found is None:
        return "Nothing was measured twice, so the noise of a measurement is unknown; repeat the best conditions."
    sd = quantity(found.sd, objective.unit)
    if found.is_stated:
        return (
            f"Nothing was measured twice; the uncertainty stated for {_many(found.groups, 'measurement')} is {sd} "
            "(one standard deviation)."
        )
    if not found.sd:
        return f"Repeats at {_many(found.groups, 'point')} gave the same value: no scatter was seen."
    return (
        f"A single measurement scatters by {sd} (one standard deviation), from repeats at "
        f"{_many(found.groups, 'point')}."
    )


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _counts(brief: Brief, observations: Observations) -> str:
    lost = sum(row.status in ("failed", "abandoned") for row in brief.experiments)
    repeats = sum(len(independent(list(point.rows))) - 1 for point in observations.points)
    return f"{len(brief.experiments)} experiments: {repeats} replicates, {lost} failed or abandoned."
