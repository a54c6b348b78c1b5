"""The method: what was varied within which limits, what was measured, and how."""

from collections import Counter

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.core.constraints import describe
from agents.core.departures import beyond_limits
from agents.core.measurement import LOOK_UP_TOOL, Experiment
from agents.core.science import Constraint, Parameter
from agents.core.study import StudyProtocol
from reviews.exports.blocks import Block, Cell, Item, Items, Paragraph, Section, Table
from reviews.exports.parts.question import aim
from reviews.exports.parts.trials import Trial
from reviews.exports.parts.wording import place_text, value_text
from reviews.exports.record import Record
from reviews.present.figures import number, quantity

BY_PEOPLE = "ask_researcher"
BY_INSTRUMENT = "instrument "
"""Begins the name of who reports what an instrument measured."""


def method(record: Record, trials: list[Trial]) -> Section:
    """Return parameters, objectives, constraints and the tool that experiments."""
    protocol = record.protocol
    blocks: list[Block] = []
    if protocol.experiment_tool:
        blocks.append(Paragraph(_how(protocol.experiment_tool, trials)))
    if protocol.space.parameters:
        rows: list[list[Cell]] = [[p.label or p.name, p.unit, allowed(p)] for p in protocol.space.parameters]
        blocks.append(Table([_("Parameter"), _("Unit"), _("Allowed")], rows))
    if protocol.objectives:
        rows = [
            [objective.label or objective.name, objective.unit, aim(objective)]
            for objective in protocol.objectives
        ]
        blocks.append(Table([_("Objective"), _("Unit"), _("Wanted")], rows))
    if protocol.constraints:
        blocks.append(Items([_constraint(each, protocol, trials) for each in protocol.constraints]))
    return Section(_("Method"), blocks)


def _how(tool: str, trials: list[Trial]) -> str:
    """Return how the experiments were performed: how many of each way where there were several."""
    ways = Counter(_way(trial.experiment, tool) for trial in trials) or Counter([tool])
    if len(ways) == 1:
        (only,) = ways
        sentence = {
            LOOK_UP_TOOL: _("Experiments were looked up in a table of measurements."),
            BY_PEOPLE: _("Experiments were performed and entered by people."),
        }.get(only, _("Experiments were performed by the tool %(tool)s."))
        return sentence % {"tool": only}
    return " ".join(_counted(way, count) for way, count in ways.most_common())


def _way(experiment: Experiment, tool: str) -> str:
    if experiment.origin != "person":
        return experiment.instrument or tool
    return tool if experiment.operator.startswith(BY_INSTRUMENT) else BY_PEOPLE


def _counted(way: str, count: int) -> str:
    if way == LOOK_UP_TOOL:
        told = ngettext(
            "%(count)s experiment was looked up in a table of measurements.",
            "%(count)s experiments were looked up in a table of measurements.",
            count,
        )
    elif way == BY_PEOPLE:
        told = ngettext(
            "%(count)s experiment was performed and entered by people.",
            "%(count)s experiments were performed and entered by people.",
            count,
        )
    else:
        told = ngettext(
            "%(count)s experiment was performed by the tool %(tool)s.",
            "%(count)s experiments were performed by the tool %(tool)s.",
            count,
        )
    return told % {"count": number(count), "tool": way}


def allowed(parameter: Parameter) -> str:
    """Return the levels or the range of a parameter."""
    if parameter.levels:
        return value_text(list(parameter.levels))
    low, high = quantity(parameter.low, ""), quantity(parameter.high, parameter.unit)
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def _constraint(constraint: Constraint, protocol: StudyProtocol, trials: list[Trial]) -> Item:
    checked = (
        describe(constraint.predicate, protocol.space)
        if constraint.predicate
        else _("by people: no program can check it")
    )
    broken = [
        str(trial.number)
        for trial in trials
        for fault in beyond_limits(trial.experiment, protocol.space, [constraint])
        if fault.constraint_id == constraint.id
    ]
    facts: list[tuple[str, Cell]] = [(_("Checked"), checked)]
    if broken:
        facts.append((_("Broken by what was really done"), _experiments(broken)))
    return Item(
        _("Constraint: %(text)s") % {"text": constraint.text},
        facts,
        quote=constraint.source.quote,
        place=place_text(constraint.source),
    )


def _experiments(numbers: list[str]) -> str:
    told = ngettext("experiment %(numbers)s", "experiments %(numbers)s", len(numbers))
    return told % {"numbers": ", ".join(numbers)}
