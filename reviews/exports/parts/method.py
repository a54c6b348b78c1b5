"""The method: what was varied within which limits, what was measured, and how."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.core.constraints import describe
from agents.core.departures import beyond_limits
from agents.core.science import Constraint, Parameter
from agents.core.study import StudyProtocol
from reviews.exports.blocks import Block, Cell, Item, Items, Paragraph, Section, Table
from reviews.exports.parts.question import aim
from reviews.exports.parts.trials import Trial
from reviews.exports.parts.wording import place_text, value_text
from reviews.exports.record import Record
from reviews.present.figures import quantity


def method(record: Record, trials: list[Trial]) -> Section:
    """Return parameters, objectives, constraints and the tool that experiments."""
    protocol = record.protocol
    blocks: list[Block] = []
    if protocol.experiment_tool:
        sentence = {
            "measure": _("Experiments were looked up in a table of measurements."),
            "ask_researcher": _("Experiments were performed and entered by people."),
        }.get(protocol.experiment_tool, _("Experiments were performed by the tool %(tool)s."))
        blocks.append(Paragraph(sentence % {"tool": protocol.experiment_tool}))
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
