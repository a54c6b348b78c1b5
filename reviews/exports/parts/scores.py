"""How far the reasoning can be trusted: evidence that was ignored, beliefs that moved, predictions that held."""

from dataclasses import dataclass
from statistics import fmean

from django.utils.translation import gettext as _

from reviews.exports.blocks import Cell, Facts, Section
from reviews.exports.parts.trials import Trial
from reviews.exports.parts.wording import NOTHING
from reviews.exports.record import Record
from reviews.present.figures import number, quantity, share


@dataclass(frozen=True)
class Conduct:
    """What became of the results. ``ignored`` were never filed as evidence before the next proposal;
    ``moved`` are refutations after which the next proposal stated another hypothesis."""

    results: int
    ignored: int
    refutations: int
    moved: int


def conduct_of(record: Record) -> Conduct:
    """Count in the order of the log: a result must be judged before anything else is proposed."""
    results = ignored = refutations = moved = 0
    unjudged: set[str] = set()
    is_refuted, current = False, ""
    for entry in record.of(
        "digest.filed", "experiment.filed", "evidence.filed", "proposal.made", "run.finished"
    ):
        payload = entry.payload
        if entry.kind == "experiment.filed":
            results += 1
            unjudged.add(payload["experiment"]["id"])
        elif entry.kind == "evidence.filed":
            unjudged.discard(payload.get("experiment", ""))
            refutations += payload["stance"] == "against"
            is_refuted = is_refuted or payload["stance"] == "against"
        elif entry.kind in ("proposal.made", "run.finished"):
            ignored += len(unjudged)
            unjudged.clear()
        stated = (payload.get("proposal") or payload).get("hypothesis")
        if entry.kind in ("digest.filed", "proposal.made") and stated:
            moved += is_refuted and stated["text"] != current
            is_refuted, current = False, stated["text"]
    return Conduct(results, ignored, refutations, moved)


def scores(record: Record, trials: list[Trial]) -> Section:
    """Return evidence, beliefs and calibration as figures."""
    conduct = conduct_of(record)
    if not conduct.results:
        return Section(_("How far to trust it"), [])
    ignored = _("%(ignored)s of %(results)s results (%(share)s)") % {
        "ignored": conduct.ignored,
        "results": conduct.results,
        "share": share(conduct.ignored / conduct.results),
    }
    moved = _("%(moved)s of %(refutations)s") % {"moved": conduct.moved, "refutations": conduct.refutations}
    rows: list[tuple[str, Cell]] = [
        (_("Evidence ignored"), ignored),
        (_("Refutations that changed the hypothesis"), moved if conduct.refutations else NOTHING),
        *_calibration(record, trials),
        (
            _("Proposals that the gate refused before a person saw them"),
            str(len(record.of("proposal.refused"))),
        ),
    ]
    return Section(_("How far to trust it"), [Facts(rows)])


def _calibration(record: Record, trials: list[Trial]) -> list[tuple[str, Cell]]:
    """Return, for each level of belief, how many results fell within their interval, and the typical miss."""
    by_level: dict[float, list[bool]] = {}
    misses = []
    for trial in trials:
        if trial.prediction is None or trial.inside is None:
            continue
        by_level.setdefault(trial.prediction.get("level", 0.9), []).append(trial.inside)
        value = trial.experiment.value_of(str(trial.prediction["objective"]))
        if value is not None:
            misses.append(abs(value - trial.prediction["mean"]))
    rows: list[tuple[str, Cell]] = [
        (
            _("Results within their %(level)s interval") % {"level": share(level)},
            _("%(inside)s of %(scored)s (%(share)s)")
            % {"inside": sum(hits), "scored": len(hits), "share": share(sum(hits) / len(hits))},
        )
        for level, hits in sorted(by_level.items())
    ]
    if misses:
        unit = record.protocol.objectives[0].unit if record.protocol.objectives else ""
        rows.append(
            (
                _("Mean miss of the predictions"),
                quantity(fmean(misses), _("percentage points") if unit == "%" else unit, 3),
            )
        )
    return rows or [(_("Predictions scored"), number(0))]
