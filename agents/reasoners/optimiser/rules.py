"""Which differences between settings hold in run after run: rules that the ledger alone bears out."""

from collections.abc import Iterable, Mapping, Sequence

from agents.core.brief import Brief
from agents.core.measurement import Experiment
from agents.core.proposal import MemoryOperation, RunEvidence
from agents.core.rules import LEAST_SOURCES
from agents.core.science import Objective
from agents.core.study import StudyProtocol
from agents.reasoners.optimiser.effects import Effect, differences
from agents.reasoners.optimiser.encoding import encoding_of
from agents.reasoners.optimiser.observations import observe
from agents.reasoners.optimiser.reflection import size_text
from agents.reasoners.optimiser.words import called

MOST = 5
"""Rules that one look at the ledger distils, at most one for each factor."""
ELSEWHERE = 0
"""Stands for the experiments that came with the study where runs are told by number."""

Seen = dict[str, list[RunEvidence]]


def by_run(experiments: Iterable[Experiment], *, own: int) -> dict[int, list[Experiment]]:
    """Return experiments by the number of the run that did them. Rows without a run are those of run ``own`` when
    they have a round, else they came with the study."""
    groups: dict[int, list[Experiment]] = {}
    for row in experiments:
        number = row.run if row.run is not None else own if row.round is not None else ELSEWHERE
        groups.setdefault(number, []).append(row)
    return groups


def seen_by_run(groups: Mapping[int, Sequence[Experiment]], protocol: StudyProtocol) -> Seen:
    """Return, by the text of each claim about a factor, which runs speak for it and which against it.

    A run speaks when its own experiments tell the two settings apart, other factors accounted for. What speaks for
    a claim speaks against its opposite. Only the first objective is looked at.
    """
    seen: Seen = {}
    if not protocol.objectives or not protocol.space.parameters:
        return seen
    objective, encoding = protocol.objectives[0], encoding_of(protocol.space)
    for run, rows in sorted(groups.items()):
        brief = Brief(protocol=protocol, round=0, experiments=list(rows))
        points = list(observe(brief, encoding).points)
        for effect in differences(points, protocol.space, objective):
            if effect.is_supported:
                told = _told(effect, objective)
                for is_higher in (True, False):
                    stance = "for" if is_higher == (effect.difference > 0) else "against"
                    evidence = RunEvidence(run=run, stance=stance, text=told)
                    seen.setdefault(_claim(effect, objective, is_higher=is_higher), []).append(evidence)
    return seen


def rules_of(seen: Seen, *, known: Iterable[str] = ()) -> list[MemoryOperation]:
    """Return what holds in at least two runs and in none the other way round, for each factor what most runs show.

    Factors of which a rule in ``known`` speaks already are left out.
    """
    told = {_factor(text) for text in known}
    found: list[MemoryOperation] = []
    lasting = [(text, runs) for text, runs in seen.items() if all(each.stance == "for" for each in runs)]
    for text, runs in sorted(lasting, key=lambda item: (-len(item[1]), item[0])):
        if len(runs) < LEAST_SOURCES or _factor(text) in told:
            continue
        told.add(_factor(text))
        reason = f"{len(runs)} sets of experiments show it each for itself, and none the other way round."
        found.append(MemoryOperation(op="distil", text=text, runs=runs, reason=reason))
    return found[:MOST]


def _claim(effect: Effect, objective: Objective, *, is_higher: bool) -> str:
    """Return the claim in words that hold no figure: the evidence does, run by run."""
    title = effect.parameter.label or effect.parameter.name
    low, high = effect.settings
    if not isinstance(high, str):
        way = "raises" if is_higher else "lowers"
        return f"{title}: going up {way} the {called(objective)}, other factors accounted for."
    first, second = (high, low) if is_higher else (low, high)
    return f"{title}: {first} gives a higher {called(objective)} than {second}, other factors accounted for."


def _factor(text: str) -> str:
    return text.partition(": ")[0]


def _told(effect: Effect, objective: Objective) -> str:
    return f"{size_text(effect, objective)}, n = {effect.counts[1]} and {effect.counts[0]})"
