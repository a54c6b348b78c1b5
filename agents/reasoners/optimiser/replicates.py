"""When the best so far must be measured again before it is called the best."""

import math

import numpy as np

from agents.core.brief import Brief
from agents.core.science import Conditions
from agents.core.tools import EffectClass
from agents.core.workflow import actions_of
from agents.reasoners.optimiser.belief import raw_utilities
from agents.reasoners.optimiser.observations import Noise, Observations, noise_in
from agents.reasoners.optimiser.words import difference, quantity

ONE_SIDED_90 = 1.2816
_BY_HAND_BEFORE_NOISE = 4
_REPEATS_OF_BEST = 2
REPEATS_TO_CONFIRM = 4


def due_replicate(brief: Brief, observations: Observations) -> tuple[Conditions, str] | None:
    """Return conditions to repeat as a declared replicate and the reason, or None.

    A new best that leads by less than replicates scatter is repeated once. Where people measure and nothing
    was ever repeated, the best is repeated once to learn the noise. A table that is only looked up costs no
    replicate, whatever uncertainty was stated for a value from elsewhere: only its own rows can show that it
    holds different values for the same conditions.
    """
    protocol = brief.protocol
    complete, utilities = raw_utilities(observations, protocol.objectives)
    if len(complete) < 2 or brief.refusals:
        return None
    top, second = (complete[k] for k in np.argsort(-utilities, kind="stable")[:2])
    point = observations.points[top]
    is_refused = any(
        action.arguments == point.conditions for veto in brief.vetoes for action in actions_of(veto.action)
    )
    if is_refused or len(point.rows) >= _REPEATS_OF_BEST:
        return None
    objective = protocol.objectives[0]
    noise = noise_there(brief, observations)
    if not noise.is_known:
        return (point.conditions, unknown_noise_reason()) if _is_noise_wanted(brief) else None
    is_new = observations.latest is not None and observations.latest.id == point.rows[-1].id
    lead = abs(point.mean(objective.name) - observations.points[second].mean(objective.name))
    repeats = len(observations.points[second].values[objective.name])
    band = ONE_SIDED_90 * noise.sd * math.sqrt(1.0 + 1.0 / repeats)
    if not is_new or lead >= band:
        return None
    return point.conditions, (
        f"The new best leads by {difference(lead, objective)}, and replicates scatter by "
        f"{quantity(noise.sd, objective.unit)} (one standard deviation): less than {quantity(band, objective.unit)} "
        "is inside the noise. It is measured again before it counts as the best."
    )


def confirming_replicate(brief: Brief, observations: Observations) -> tuple[Conditions, str] | None:
    """Return the best conditions to repeat once more when nothing else is left and people do not want to end."""
    complete, utilities = raw_utilities(observations, brief.protocol.objectives)
    if not brief.finish_refused or not complete:
        return None
    if is_looked_up(brief) and not noise_there(brief, observations).sd:
        return None
    point = observations.points[complete[int(utilities.argmax())]]
    is_refused = any(veto.action.arguments == point.conditions for veto in brief.vetoes)
    if is_refused or len(point.rows) >= REPEATS_TO_CONFIRM:
        return None
    return point.conditions, (
        "Every legal candidate has been tried or was vetoed, and the run is to go on. The best is measured again, so "
        "that it is known how far it can be trusted."
    )


def noise_there(brief: Brief, observations: Observations) -> Noise:
    """Return the noise of the place where the next experiment is measured."""
    name = brief.protocol.objectives[0].name
    if not is_looked_up(brief):
        return observations.noise[name]
    looked_up = [row for point in observations.points for row in point.rows if row.origin == "tool"]
    again = noise_in(looked_up, name)
    return again if again.sd else Noise()


def is_looked_up(brief: Brief) -> bool:
    """Return True when the experiment tool only reads or computes, so that asking twice tells nothing new."""
    tool = next((spec for spec in brief.tools if spec.name == brief.protocol.experiment_tool), None)
    return tool is not None and tool.executor == "machine" and tool.effect is EffectClass.LOCAL


def _is_noise_wanted(brief: Brief) -> bool:
    """Return True when people measure, several times by now, and nothing tells how far their values scatter."""
    tool = next((spec for spec in brief.tools if spec.name == brief.protocol.experiment_tool), None)
    by_hand = [row for row in brief.experiments if row.origin == "person" and row.status == "measured"]
    return tool is not None and tool.executor == "person" and len(by_hand) >= _BY_HAND_BEFORE_NOISE


def unknown_noise_reason() -> str:
    """Return why a first repetition is worth its cost."""
    return (
        "Nothing was measured twice yet, so nobody knows how far a value scatters. The best so far is measured "
        "again: the difference tells the noise, and which later gains are real."
    )
