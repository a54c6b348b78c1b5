"""What a reader asks first: did the first hypothesis hold, was the figure of the goal reached?"""

import re

from django.utils.translation import gettext as _

from agents.core.quantities import Quantity, find_quantities
from agents.core.science import Objective
from reviews.exports.blocks import Cell
from reviews.exports.parts.beliefs import Belief
from reviews.exports.parts.trials import Trial, best_trial
from reviews.exports.parts.wording import rounds_text
from reviews.exports.record import Record
from reviews.present.figures import number, quantity

_AT_LEAST = r"at least|above|over|exceed\w*|more than|no less than|reach\w*|up to|≥|>|至少|超过|高于|大于|不低于|达到|以上"
_AT_MOST = (
    r"at most|below|under|less than|no more than|down to|reach\w*|≤|<|至多|低于|小于|不超过|不高于|达到|以下"
)
_BEFORE, _AFTER = 40, 6
"""Characters around a figure in which the words stand that make it an aim."""


def answers(record: Record, trials: list[Trial], beliefs: list[Belief]) -> list[tuple[str, Cell]]:
    """Return a row for the first hypothesis and one for the figure in the goal, as far as there are any."""
    rows: list[tuple[str, Cell]] = []
    if beliefs:
        rows.append((_("First hypothesis"), _("%(text)s %(fate)s") % _told(beliefs[0])))
    goal = next((entry.payload["goal"] for entry in record.of("digest.filed")), record.protocol.goal)
    objective = record.protocol.objectives[0] if record.protocol.objectives else None
    wanted = aimed_figure(goal, objective) if objective else None
    if objective is not None and wanted is not None:
        rows.append((_("Figure in the goal"), _reached(record, trials, objective, wanted)))
    return rows


def _told(first: Belief) -> dict[str, str]:
    return {"text": f"“{first.text}”", "fate": fate_of(first)}


def fate_of(belief: Belief) -> str:
    """Return what the results said of a hypothesis while it stood."""
    against, for_it = belief.rounds("against"), belief.rounds("for")
    if against:
        return _("did not hold: round %(rounds)s spoke against it.") % {"rounds": rounds_text(against)}
    if for_it:
        return _("held while it was tested: round %(rounds)s spoke for it.") % {"rounds": rounds_text(for_it)}
    return _("was not tested: no result speaks for or against it.")


def aimed_figure(goal: str, objective: Objective) -> float | None:
    """Return the one figure that ``goal`` sets for ``objective``, in its unit; None when it sets none or several."""
    if objective.goal == "target":
        return objective.target
    words = _AT_LEAST if objective.goal == "maximise" else _AT_MOST
    found = {each.value for each in find_quantities(goal) if _is_aim(each, goal, objective, words)}
    return found.pop() if len(found) == 1 else None


def _is_aim(figure: Quantity, goal: str, objective: Objective, words: str) -> bool:
    around = (
        goal[max(0, figure.start - _BEFORE) : figure.start] + " " + goal[figure.end : figure.end + _AFTER]
    )
    return (
        figure.high is None
        and figure.unit == objective.unit
        and (objective.low is None or figure.value >= objective.low)
        and (objective.high is None or figure.value <= objective.high)
        and re.search(words, around, re.IGNORECASE) is not None
    )


def _reached(record: Record, trials: list[Trial], objective: Objective, wanted: float) -> str:
    shown = quantity(wanted, objective.unit)
    best = best_trial(record.protocol, trials)
    value = best.experiment.value_of(objective.name) if best else None
    if best is None or value is None:
        return _("%(wanted)s: nothing was measured.") % {"wanted": shown}
    told = {
        "wanted": shown,
        "best": quantity(value, objective.unit),
        "round": number(best.experiment.round),
    }
    if objective.utility(value) >= objective.utility(wanted):
        return _("%(wanted)s: reached, with %(best)s in round %(round)s.") % told
    return _("%(wanted)s: not reached; the best is %(best)s in round %(round)s.") % told
