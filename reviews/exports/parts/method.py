"""The method: what was varied within which limits, what was measured, and how."""

from django.utils.translation import gettext as _

from agents.core.constraints import describe
from agents.core.science import Constraint, Parameter, Space
from reviews.exports.blocks import Block, Cell, Item, Items, Paragraph, Section, Table
from reviews.exports.parts.question import aim
from reviews.exports.parts.wording import place_text, value_text
from reviews.exports.record import Record
from reviews.present.figures import quantity


def method(record: Record) -> Section:
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
        blocks.append(Items([_constraint(each, protocol.space) for each in protocol.constraints]))
    return Section(_("Method"), blocks)


def allowed(parameter: Parameter) -> str:
    """Return the levels or the range of a parameter."""
    if parameter.levels:
        return value_text(list(parameter.levels))
    low, high = quantity(parameter.low, ""), quantity(parameter.high, parameter.unit)
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def _constraint(constraint: Constraint, space: Space) -> Item:
    checked = (
        describe(constraint.predicate, space)
        if constraint.predicate
        else _("by people: no program can check it")
    )
    return Item(
        _("Constraint: %(text)s") % {"text": constraint.text},
        [(_("Checked"), checked)],
        quote=constraint.source.quote,
        place=place_text(constraint.source),
    )
