"""The experiments of the run: the table, the plots and what they are drawn from."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from agents.core.departures import beyond_limits
from agents.core.measurement import Experiment
from agents.core.science import Objective
from agents.core.study import StudyProtocol
from reviews.exports.blocks import Block, Cell, Change, Figure, Item, Items, Notice, Paragraph, Section, Table
from reviews.exports.parts.wording import (
    NOTHING,
    attachment_text,
    measurement_text,
    moment,
    prediction_text,
    stance_text,
    value_text,
)
from reviews.exports.record import Record, experiments_in
from reviews.exports.sketch import sparkline
from reviews.present import words
from reviews.present.charts import Box, Measured, best_so_far, predicted_against_measured
from reviews.present.figures import number

WIDE = Box(width=680, height=260)
TALL = Box(width=680, height=320)


@dataclass(frozen=True)
class Trial:
    """An experiment with its prediction and how it bore on the hypothesis."""

    number: int
    experiment: Experiment
    prediction: dict[str, Any] | None
    stance: str
    inside: bool | None


@dataclass(frozen=True)
class Column:
    """A condition in the table."""

    name: str
    title: str
    is_number: bool


def trials_of(record: Record) -> list[Trial]:
    """Return the run's experiments in order."""
    judged = {entry.payload.get("experiment"): entry.payload for entry in record.of("evidence.filed")}
    rows = []
    for place, (entry, experiment) in enumerate(experiments_in(record.entries), start=1):
        evidence = judged.get(experiment.id, {})
        rows.append(
            Trial(
                number=place,
                experiment=experiment,
                prediction=entry.payload.get("prediction"),
                stance=evidence.get("stance", ""),
                inside=evidence.get("inside"),
            )
        )
    return rows


def best_trial(protocol: StudyProtocol, trials: list[Trial]) -> Trial | None:
    """Return the first experiment with the best raw value of the first objective."""
    if not protocol.objectives:
        return None
    objective = protocol.objectives[0]
    measured = [trial for trial in trials if trial.experiment.value_of(objective.name) is not None]
    return max(measured, key=lambda trial: _utility(trial, objective), default=None)


def _utility(trial: Trial, objective: Objective) -> float:
    value = trial.experiment.value_of(objective.name)
    assert value is not None
    return objective.utility(value)


def experiments(record: Record, trials: list[Trial]) -> Section:
    """Return the plots and the table of every experiment."""
    blocks: list[Block] = [Paragraph(text) for text in _surroundings(record, trials)]
    if trials:
        blocks += [*_plots(record.protocol, trials), _table(record.protocol, trials)]
        blocks += [*_beyond(record.protocol, trials), *_readings(trials)]
        blocks += _files(trials)
    return Section(_("Experiments"), blocks)


def _surroundings(record: Record, trials: list[Trial]) -> list[str]:
    said = [] if trials else [_("The run has measured nothing yet.")]
    if record.past:
        said.append(
            _("%(count)s past experiments came with the study.") % {"count": number(len(record.past))}
        )
    if record.elsewhere:
        said.append(
            _("Other runs of the study have filed %(count)s experiments in the same ledger.")
            % {"count": number(len(record.elsewhere))}
        )
    return said


def _plots(protocol: StudyProtocol, trials: list[Trial]) -> list[Block]:
    if not protocol.objectives:
        return []
    objective = protocol.objectives[0]
    rows = [row for trial in trials if (row := _measured(trial, objective)) is not None]
    title = objective.label or objective.name
    found: list[Block] = []
    best = best_so_far(rows, unit=objective.unit, utility=objective.utility, box=WIDE)
    if best is not None:
        caption = _("Best so far: %(title)s by experiment") % {"title": title}
        found.append(
            Figure(best, "components/chart_best.html", caption, sparkline(_running_best(rows, objective)))
        )
    against = predicted_against_measured(rows, unit=objective.unit, box=TALL)
    if against is not None:
        caption = _(
            "Predicted (across, with interval) against measured (up): %(share)s within the interval"
        ) % {"share": against.summary}
        found.append(Figure(against, "components/chart_predicted.html", caption, ""))
    return found


def _measured(trial: Trial, objective: Objective) -> Measured | None:
    value = trial.experiment.value_of(objective.name)
    if value is None:
        return None
    given = trial.prediction
    is_scored = given and given.get("objective") == objective.name and not trial.experiment.departures
    scored = given if is_scored else None
    return Measured(
        order=trial.number,
        value=value,
        label=str(trial.experiment.round or trial.number),
        origin=trial.experiment.origin,
        expected=(scored["mean"], scored["low"], scored["high"]) if scored else None,
    )


def _running_best(rows: list[Measured], objective: Objective) -> list[float]:
    best: list[float] = []
    for row in rows:
        is_better = not best or objective.utility(row.value) > objective.utility(best[-1])
        best.append(row.value if is_better else best[-1])
    return best


def _table(protocol: StudyProtocol, trials: list[Trial]) -> Table:
    parameters = _columns(protocol, trials)
    objectives = protocol.objectives
    columns = [_("No."), _("Round")]
    columns += [parameter.title for parameter in parameters]
    columns += [objective.label or objective.name for objective in objectives]
    columns += [_("Predicted (✓ came true)"), _("Evidence"), _("State"), _("Origin")]
    first = 2 + len(parameters)
    flush = {0, 1, *range(first, first + len(objectives) + 1)}
    flush |= {2 + place for place, parameter in enumerate(parameters) if parameter.is_number}
    rows = [_row(trial, parameters, objectives) for trial in trials]
    return Table(columns, rows, numeric=frozenset(flush))


def _beyond(protocol: StudyProtocol, trials: list[Trial]) -> list[Block]:
    """Return which experiments were done where none may be proposed, with each reason."""
    rows = [
        Item(
            _("Experiment %(number)s, round %(round)s")
            % {"number": trial.number, "round": number(trial.experiment.round)},
            [(_("Why"), fault.message) for fault in faults],
        )
        for trial in trials
        if (faults := beyond_limits(trial.experiment, protocol.space, protocol.constraints))
    ]
    return [Notice(_("These experiments were not done within the limits:")), Items(rows)] if rows else []


def _columns(protocol: StudyProtocol, trials: list[Trial]) -> list[Column]:
    """Return the space's parameters, and whatever else an experiment names."""
    known = {p.name: Column(p.name, p.title, p.kind != "categorical") for p in protocol.space.parameters}
    for trial in trials:
        for name in trial.experiment.conditions:
            known.setdefault(name, Column(name, name, False))
    return list(known.values())


def _row(trial: Trial, parameters: list[Column], objectives: list[Objective]) -> list[Cell]:
    experiment = trial.experiment
    by_name = {measurement.objective: measurement for measurement in experiment.measurements}
    cells: list[Cell] = [str(trial.number), number(experiment.round)]
    cells += [_condition(experiment, parameter.name) for parameter in parameters]
    for objective in objectives:
        found = by_name.get(objective.name)
        cells.append(measurement_text(found) if found else NOTHING)
    state = str(words.word("measurement", experiment.status).label)
    if experiment.departures:
        state = f"{state} · {_('not as planned')}"
    return [*cells, _predicted(trial), stance_text(trial.stance), state, _origin(experiment)]


def _condition(experiment: Experiment, name: str) -> Cell:
    planned = value_text(experiment.planned.get(name))
    if name in experiment.actual:
        return Change(planned, value_text(experiment.actual[name]))
    return planned


def _predicted(trial: Trial) -> str:
    if trial.prediction and trial.experiment.departures:
        return _("%(expected)s, not scored: not done as planned") % {
            "expected": prediction_text(trial.prediction)
        }
    mark = "" if trial.inside is None else " ✓" if trial.inside else " ✗"
    return prediction_text(trial.prediction) + mark


def _origin(experiment: Experiment) -> str:
    origins = {"tool": _("tool"), "person": _("person"), "past": _("past")}
    parts = [origins[experiment.origin]]
    if experiment.replicate > 1:
        parts.append(_("replicate %(number)s") % {"number": experiment.replicate})
    when = moment(experiment.measured_at) if experiment.measured_at else ""
    told = [experiment.operator, experiment.instrument, when, experiment.note]
    return " · ".join([*parts, *filter(None, told)])


def _readings(trials: list[Trial]) -> list[Block]:
    """Return every reading of the measurements that have several, since the table shows their mean."""
    rows: list[list[Cell]] = [
        [str(trial.number), found.objective, "; ".join(number(each, digits=9) for each in found.replicates),
         found.unit]
        for trial in trials
        for found in trial.experiment.measurements
        if found.replicates
    ]  # fmt: skip
    if not rows:
        return []
    return [
        Paragraph(_("Single readings")),
        Table([_("No."), _("Objective"), _("Readings"), _("Unit")], rows),
    ]


def _files(trials: list[Trial]) -> list[Block]:
    rows: list[list[Cell]] = [
        [str(trial.number), attachment_text(file)]
        for trial in trials
        for file in trial.experiment.attachments
    ]
    return (
        [Paragraph(_("Files that came with the results")), Table([_("No."), _("File")], rows)] if rows else []
    )
