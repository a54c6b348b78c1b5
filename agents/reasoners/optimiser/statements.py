"""Hypothesis, prediction and reason of a proposal, in sentences."""

import math

import numpy as np

from agents.core.ledger import nearest
from agents.core.measurement import Experiment, place_of
from agents.core.proposal import Hypothesis, Prediction
from agents.core.science import Conditions, Objective
from agents.core.study import StudyProtocol
from agents.core.text import shorten
from agents.reasoners.optimiser.belief import Belief
from agents.reasoners.optimiser.choice import Choice
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.guidance import Wish
from agents.reasoners.optimiser.pool import Pool
from agents.reasoners.optimiser.words import (
    called,
    conditions_text,
    importance,
    leaning,
    listing,
    number,
    quantity,
)

NORMAL_90 = 1.6449
_NAMED_FACTORS = 3
_SMALL_SHARE = 0.05
_MAIN_EFFECTS = 0.4
_NO_GAIN = 1e-9


def early_hypothesis(protocol: StudyProtocol) -> Hypothesis:
    """Return what is claimed before the surrogate: the study's own hypothesis, or that some factor matters."""
    response = called(protocol.objectives[0])
    factors = listing([called(parameter) for parameter in protocol.space.parameters])
    text = (
        protocol.initial_hypothesis
        or f"Of {factors}, at least one changes the {response} by more than the noise."
    )
    return Hypothesis(
        text=shorten(text, 2000),
        refuted_by=f"Experiments spread over the whole space all give the same {response}, within the noise.",
    )


def hypothesis_of(
    protocol: StudyProtocol, pool: Pool, belief: Belief, prediction: Prediction | None
) -> Hypothesis:
    """Return the surrogate as a falsifiable claim: which factors matter, which way, and the best region.

    The next experiment tests it: a result outside ``prediction`` speaks against it.
    """
    objective = protocol.objectives[0]
    beliefs = belief.everywhere
    means, sds = beliefs[0]
    best = int(np.argmax(belief.goal.utility([mean for mean, _ in beliefs])))
    low, high = interval(objective, float(means[best]), math.hypot(float(sds[best]), belief.measuring_sd()))
    where = conditions_text(pool.conditions(best), protocol.space)
    expected = f"{quantity(_inside(objective, float(means[best])), objective.unit)} (90 % interval {number(low)} to {quantity(high, objective.unit)})"
    claim = f"The best {called(objective)}, {expected}, is expected at {where}."
    if len(protocol.objectives) > 1:
        others = [
            f"{called(o)} {quantity(_inside(o, float(mean[best])), o.unit)}"
            for o, (mean, _) in zip(protocol.objectives[1:], beliefs[1:], strict=True)
        ]
        claim = f"The best compromise, {called(objective)} {expected} with {listing(others)}, is expected at {where}."
    text = f"{_factors_sentence(protocol, pool, means)} {claim}"
    return Hypothesis(text=shorten(text, 2000), refuted_by=_refutation(objective, prediction))


def _refutation(objective: Objective, prediction: Prediction | None) -> str:
    if prediction is None:
        return f"The {called(objective)} does not change between the best and the worst levels named here."
    span = f"{number(prediction.low)} to {quantity(prediction.high, objective.unit)}"
    return f"The {called(objective)} of the proposed experiment comes out outside {span}."


def interval(objective: Objective, mean: float, sd: float) -> tuple[float, float]:
    """Return the central 90 % of a normal belief, cut at the limits of the response."""
    return _inside(objective, mean - NORMAL_90 * sd), _inside(objective, mean + NORMAL_90 * sd)


def prediction_of(objective: Objective, belief: Belief | None, features: Array) -> Prediction | None:
    """Return the expected outcome at ``features``.

    Before the surrogate: the middle of the response's range, when the study states one, else None.
    """
    if belief is None:
        if objective.low is None or objective.high is None:
            return None
        span = objective.high - objective.low
        mean, low, high = (objective.low + share * span for share in (0.5, 0.05, 0.95))
        return Prediction(
            objective=objective.name,
            mean=mean,
            low=low,
            high=high,
            unit=objective.unit,
            tests_hypothesis=False,
        )
    mean_there, sd_there = (float(part[0]) for part in belief.predict(features[None])[0])
    low, high = interval(objective, mean_there, math.hypot(sd_there, belief.measuring_sd()))
    mean, low, high = (round(value, 6) for value in (_inside(objective, mean_there), low, high))
    return Prediction(objective=objective.name, mean=mean, low=low, high=high, unit=objective.unit)


def spread_reason(choice: Choice, *, done: int, wanted: int) -> str:
    """Return why an experiment of the start was chosen."""
    how = "drawn at random" if done == 0 else "as far as possible from everything tried so far"
    if done >= wanted:
        return f"Too few experiments gave a value to model yet, so this one lies {how}. {_from(choice)}"
    return f"Experiment {done + 1} of {wanted} spread over the space before modelling: {how}. {_from(choice)}"


def gain_reason(protocol: StudyProtocol, belief: Belief, choice: Choice, rows: list[Experiment]) -> str:
    """Return why the surrogate chose an experiment: gain, exploring or exploiting, nearest measured."""
    objective = protocol.objectives[0]
    mean, sd = (float(part[0]) for part in belief.predict(choice.features[None])[0])
    several = len(protocol.objectives) > 1
    unit = "in desirability" if several else objective.unit
    utility = float(belief.goal.utility([m for m, _ in belief.predict(choice.features[None])])[0])
    mode = (
        "It exploits: the surrogate already expects it to beat the best so far."
        if utility > belief.best
        else "It explores: the surrogate expects less than the best so far, and is uncertain enough to look."
    )
    if (choice.gain or 0.0) < _NO_GAIN * abs(belief.surrogates[0].spread):
        mode = "No open candidate is expected to improve on the best so far; this one comes closest."
    lines = [
        f"Expected improvement {quantity(_visible(choice.gain), unit)}, the largest of {choice.open:,} open candidates.",
        mode,
        f"The {called(objective)} should be {quantity(_inside(objective, mean), objective.unit)} "
        f"± {number(sd)} (one standard deviation).",
        _near(protocol, choice.conditions, rows),
    ]
    if several:
        names = listing([called(o) for o in protocol.objectives])
        lines.insert(0, f"{names} are joined as one desirability, from 0 to 1 (geometric mean).")
    return " ".join(line for line in lines if line)


def guidance_reason(wishes: list[Wish], choice: Choice) -> str:
    """Return how each sentence of guidance was read and whether it was followed."""
    lines = []
    for wish in wishes:
        quote = f"“{shorten(wish.text, 120)}”"
        if not wish.is_understood:
            lines.append(
                f"Guidance {quote} was read; it names no factor with a level, so the optimiser cannot use it."
            )
        elif wish in choice.followed:
            lines.append(f"Guidance {quote} was followed: {wish.reading}.")
        else:
            lines.append(f"Guidance {quote} was read as {wish.reading}, but no open candidate meets it.")
    return " ".join(lines)


def _factors_sentence(protocol: StudyProtocol, pool: Pool, mean: Array) -> str:
    objective = protocol.objectives[0]
    shares = importance(pool, mean)
    named = [name for name, share in shares.items() if share >= _SMALL_SHARE][:_NAMED_FACTORS]
    if not named:
        return f"No single factor moves the {called(objective)} clearly so far."
    space = protocol.space
    parts = [
        f"{called(space.get(name))} ({100 * shares[name]:.0f} % of the predicted variation)" for name in named
    ]
    ways = _directions(protocol, pool, mean, named)
    if sum(shares.values()) < _MAIN_EFFECTS:
        joined = listing([called(space.get(name)) for name in named])
        return f"The {called(objective)} depends on how factors combine more than on any alone; {joined} come first."
    return f"The {called(objective)} depends mostly on {listing(parts)}{ways}."


def _directions(protocol: StudyProtocol, pool: Pool, mean: Array, named: list[str]) -> str:
    objective = protocol.objectives[0]
    if objective.goal == "target":
        return ""
    is_low_wanted = objective.goal == "minimise"
    ways = [leaning(pool, protocol.space.get(name), mean, is_low_wanted=is_low_wanted) for name in named]
    return f": {'; '.join(ways)}"


def _inside(objective: Objective, value: float) -> float:
    low = -math.inf if objective.low is None else objective.low
    high = math.inf if objective.high is None else objective.high
    return min(max(value, low), high)


def _visible(gain: float | None) -> float:
    """Return a gain that people can read: nothing below a billionth."""
    return gain if gain is not None and gain > 1e-9 else 0.0


def _from(choice: Choice) -> str:
    return f"{choice.open:,} candidates are open."


def _near(protocol: StudyProtocol, conditions: Conditions, rows: list[Experiment]) -> str:
    objective = protocol.objectives[0]
    found = nearest(conditions, rows, protocol.space, limit=1, objective=objective.name)
    if not found or found[0].value is None:
        return ""
    changes = [f"{name} {_level(there)} → {_level(here)}" for name, (there, here) in found[0].differs.items()]
    where = place_of(found[0].run, found[0].round) or "earlier data"
    return (
        f"The nearest measured ({where}) gave {quantity(found[0].value, found[0].unit or objective.unit)}; "
        f"different here: {', '.join(changes) or 'nothing'}."
    )


def _level(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)
