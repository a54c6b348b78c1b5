"""What was asked and what came of it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.core.ledger import noise
from agents.core.science import Objective
from reviews.exports.blocks import Block, Cell, Facts, Notice, Paragraph, Prose, Section
from reviews.exports.escape import tame_markdown
from reviews.exports.parts.answers import answers
from reviews.exports.parts.beliefs import Belief
from reviews.exports.parts.trials import Trial, best_trial
from reviews.exports.parts.wording import conditions_text, measurement_text
from reviews.exports.record import Record
from reviews.present.figures import number, quantity


def question(record: Record) -> Section:
    """Return the goal and the first hypothesis."""
    goal = next((entry.payload["goal"] for entry in record.of("digest.filed")), record.protocol.goal)
    rows: list[tuple[str, Cell]] = [(titled(each), aim(each)) for each in record.protocol.objectives]
    if record.protocol.initial_hypothesis:
        rows.append((_("First hypothesis"), record.protocol.initial_hypothesis))
    return Section(
        _("Question"), [Paragraph(goal or _("No goal was stated.")), *([Facts(rows)] if rows else [])]
    )


def aim(objective: Objective) -> str:
    """Return what is wanted of an objective, in words."""
    if objective.goal == "target":
        return _("as near as possible to %(target)s") % {"target": quantity(objective.target, objective.unit)}
    return _("as much as possible") if objective.goal == "maximise" else _("as little as possible")


def titled(objective: Objective) -> str:
    """Return the name of an objective with its unit."""
    name = objective.label or objective.name
    return f"{name} ({objective.unit})" if objective.unit else name


def conclusion(record: Record, trials: list[Trial], beliefs: list[Belief]) -> Section:
    """Return what the run concluded, or why it has not."""
    blocks: list[Block] = []
    ended = record.of("run.finished", "run.failed")
    if not record.run.has_ended:
        blocks.append(Notice(_("The run has not ended; this is the report as it stands.")))
    elif record.run.status == "failed":
        blocks.append(Notice(_("The run failed: %(error)s") % {"error": record.run.error}))
    elif ended and ended[-1].payload.get("outcome"):
        blocks.append(Paragraph(_("How it ended: %(outcome)s.") % {"outcome": ended[-1].payload["outcome"]}))
    written = record.of("summary.written")
    if written and written[-1].payload["text"].strip():
        blocks.append(Prose(tame_markdown(written[-1].payload["text"], below=2)))
    elif written and written[-1].payload.get("problem"):
        problem = written[-1].payload["problem"]
        blocks.append(Notice(_("No conclusion could be written: %(problem)s") % {"problem": problem}))
    elif record.run.has_ended:
        blocks.append(Paragraph(_("The run ended without writing a conclusion.")))
    told = answers(record, trials, beliefs)
    return Section(_("Conclusion"), [*blocks, *([Facts(told)] if told else []), *_best(record, trials)])


def _best(record: Record, trials: list[Trial]) -> list[Block]:
    best = best_trial(record.protocol, trials)
    if best is None:
        return []
    objective = record.protocol.objectives[0]
    measurement = next(m for m in best.experiment.measurements if m.objective == objective.name)
    rows: list[tuple[str, Cell]] = [
        (_("Best measured"), f"{objective.label or objective.name} {measurement_text(measurement)}"),
        (_("Conditions"), conditions_text(best.experiment.conditions, record.protocol.space)),
        (_("Round"), number(best.experiment.round)),
    ]
    rows.append((_("Noise of a measurement (standard deviation)"), _noise(record, trials, objective)))
    return [Facts(rows)]


def _noise(record: Record, trials: list[Trial], objective: Objective) -> str:
    """Return the noise that the study's ledger tells, by the same rule that the optimiser goes by."""
    rows = [*record.past, *record.elsewhere, *(trial.experiment for trial in trials)]
    found = noise(rows, objective.name)
    if found is None:
        return _("unknown: nothing was measured twice")
    shown = {"sd": quantity(found.sd, objective.unit, 2), "groups": found.groups}
    if found.is_stated:
        one = ngettext(
            "%(sd)s, as stated for %(groups)s measurement",
            "%(sd)s, as stated for %(groups)s measurements",
            found.groups,
        )
    elif not found.sd:
        one = ngettext(
            "none seen: repeats of %(groups)s condition gave the same value",
            "none seen: repeats of %(groups)s conditions gave the same value",
            found.groups,
        )
    else:
        one = ngettext(
            "%(sd)s, from replicates of %(groups)s condition",
            "%(sd)s, from replicates of %(groups)s conditions",
            found.groups,
        )
    return one % shown
