"""What a result changes in the findings: statements that the measurements support, at most a few."""

import math

from agents.core.brief import Brief
from agents.core.findings import BEST_SO_FAR, Finding
from agents.core.measurement import Experiment
from agents.core.proposal import MemoryOperation
from agents.core.science import Objective
from agents.reasoners.optimiser.belief import raw_utilities
from agents.reasoners.optimiser.effects import Effect, effects
from agents.reasoners.optimiser.encoding import Encoding
from agents.reasoners.optimiser.observations import Observations, Point, observe
from agents.reasoners.optimiser.words import (
    called,
    conditions_text,
    difference,
    number,
    possible_difference,
    quantity,
)

AT_MOST = 3
_GROWN = 1.5
_ONE_SIDED_90 = 1.2816


def operations(brief: Brief, encoding: Encoding) -> list[MemoryOperation]:
    """Return what the latest ledger row changes, the best result first, then the clearest effects."""
    observations = observe(brief, encoding)
    latest = observations.latest
    objective = brief.protocol.objectives[0]
    if latest is None or latest.value_of(objective.name) is None:
        return []
    earlier = observe(brief.model_copy(update={"experiments": brief.experiments[:-1]}), encoding)
    found = _best_operation(brief, observations, latest)
    found += _effect_operations(brief, observations, earlier, latest)
    return found[:AT_MOST]


def effect_title(effect: Effect) -> str:
    """Return the words that open every statement about a factor, so that it is found again."""
    return effect.parameter.label or effect.parameter.name


def size_text(effect: Effect, objective: Objective) -> str:
    """Return how large an effect is, with its interval as far as the response can differ; the bracket stays open."""
    low, middle, high = (
        possible_difference(size, objective, seen=effect.difference) for size in _sizes(effect)
    )
    return f"{difference(middle, objective)} (95 % interval {number(low)} to {number(high)}"


def _sizes(effect: Effect) -> tuple[float, float, float]:
    low, high = sorted((abs(effect.low), abs(effect.high)))
    return low, abs(effect.difference), high


def effect_text(effect: Effect, objective: Objective) -> str:
    """Return an effect as a sentence with interval and counts."""
    first, second = effect.settings
    # In the order in which the sentence names the settings.
    counts = effect.counts[::-1] if isinstance(first, str) else effect.counts
    size = f"{size_text(effect, objective)}, n = {counts[0]} and {counts[1]}, other factors accounted for)"
    if isinstance(first, str):
        way = "higher" if effect.difference > 0 else "lower"
        return f"{effect_title(effect)}: {second} gives a {way} {called(objective)} than {first}, by {size}."
    unit = effect.parameter.unit
    way = "raises" if effect.difference > 0 else "lowers"
    span = f"{number(float(first))} to {quantity(float(second), unit)}"
    return f"{effect_title(effect)}: going from {span} {way} the {called(objective)} by {size}."


def _best_operation(brief: Brief, observations: Observations, latest: Experiment) -> list[MemoryOperation]:
    """Return the claim of a new best, unless its lead is inside the noise."""
    complete, utilities = raw_utilities(observations, brief.protocol.objectives)
    if not complete:
        return []
    place = int(utilities.argmax())
    point = observations.points[complete[place]]
    if all(row.id != latest.id for row in point.rows) or not _leads(
        brief, observations, complete, utilities.tolist()
    ):
        return []
    objective = brief.protocol.objectives[0]
    count = len(point.values[objective.name])
    values = ", ".join(
        f"{called(o)} {quantity(point.mean(o.name), o.unit)}" for o in brief.protocol.objectives
    )
    how = f", mean of {count}" if count > 1 else ""
    text = f"{BEST_SO_FAR}: {values}{how} at {conditions_text(point.conditions, brief.protocol.space)}."
    known = filed(brief.findings, BEST_SO_FAR)
    evidence = [row.round for row in point.rows if row.round is not None and row.run is None]
    if known is None:
        return [MemoryOperation(op="add", text=text, confidence=0.9, evidence=evidence)]
    if known.text == text:
        return []
    reason = "A later experiment did better." if count == 1 else "A replicate changed the mean."
    return [MemoryOperation(op="revise", finding=known.id, text=text, reason=reason, evidence=evidence)]


def _leads(brief: Brief, observations: Observations, complete: list[int], utilities: list[float]) -> bool:
    """Return False when replicates scatter by more than the new best leads."""
    objective = brief.protocol.objectives[0]
    noise = observations.noise[objective.name]
    if len(complete) < 2 or not noise.is_known:
        return True
    second, first = sorted(range(len(complete)), key=lambda k: utilities[k])[-2:]
    points: list[Point] = [observations.points[complete[k]] for k in (first, second)]
    lead = abs(points[0].mean(objective.name) - points[1].mean(objective.name))
    share = sum(1.0 / len(point.values[objective.name]) for point in points)
    return lead >= _ONE_SIDED_90 * noise.sd * math.sqrt(share)


def _effect_operations(
    brief: Brief, observations: Observations, earlier: Observations, latest: Experiment
) -> list[MemoryOperation]:
    """Return additions for effects that became clear just now, and changes of those already filed."""
    objective = brief.protocol.objectives[0]
    space = brief.protocol.space
    before = {e.parameter.name for e in effects(list(earlier.points), space, objective) if e.is_supported}
    is_first = all(row.round is None for row in brief.experiments[:-1])
    evidence = [latest.round] if latest.round is not None else []
    found: list[MemoryOperation] = []
    for effect in effects(list(observations.points), space, objective):
        known = filed(brief.findings, effect_title(effect))
        if known is not None:
            found += _change(known, effect, objective, latest, evidence)
        elif effect.is_supported and (is_first or effect.parameter.name not in before):
            text = effect_text(effect, objective)
            found.append(
                MemoryOperation(op="add", text=text, confidence=_confidence(effect), evidence=evidence)
            )
    return found


def _change(
    known: Finding, effect: Effect, objective: Objective, latest: Experiment, evidence: list[int]
) -> list[MemoryOperation]:
    """Return how the latest result bears on a statement that is already filed."""
    value = latest.conditions.get(effect.parameter.name)
    bears = not isinstance(effect.settings[0], str) or value in effect.settings
    if not effect.is_supported:
        reason = f"With {sum(effect.counts)} experiments the interval of the difference includes zero."
        return (
            [MemoryOperation(op="contradict", finding=known.id, reason=reason, evidence=evidence)]
            if bears
            else []
        )
    text = effect_text(effect, objective)
    if _claim(text) != _claim(known.text) or sum(effect.counts) >= _GROWN * _counted(known.text):
        reason = "More measurements: the interval is narrower, or another level now stands out."
        return [MemoryOperation(op="revise", finding=known.id, text=text, reason=reason, evidence=evidence)]
    return [MemoryOperation(op="support", finding=known.id, evidence=evidence)] if bears else []


def filed(findings: list[Finding], title: str) -> Finding | None:
    """Return the active finding that ``title`` opens."""
    return next((f for f in findings if f.status == "active" and f.text.startswith(f"{title}: ")), None)


def _claim(text: str) -> str:
    """Return what a statement says without its figures."""
    return text.split(", by ")[0].split(" by ")[0]


def _counted(text: str) -> int:
    """Return how many experiments a statement rests on, 0 when it does not say."""
    counts = text.partition("n = ")[2].partition(",")[0].split(" and ")
    return sum(int(count) for count in counts if count.strip().isdigit())


def _confidence(effect: Effect) -> float:
    return round(min(0.95, 0.5 + 0.2 * effect.strength), 2)
