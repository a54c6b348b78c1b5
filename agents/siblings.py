"""Runs of one study side by side: what each supposed, was allowed, measured, learned and cost."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from agents.core.gates import GateKind
from agents.core.science import Objective, Value
from agents.models import Experiment, Finding, Gate, Run
from agents.sent import compared

MOST = 4
"""More columns than this nobody can hold side by side."""
FINDINGS = 8
BY_RULE = ("policy: ", "remembered: ")


class Claim(Value):
    """A finding of one run. ``is_shared``: another of the runs has it in the same words."""

    name: str
    text: str
    confidence: float
    is_shared: bool = False


class Round(Value):
    """What one run did in a round: the proposal, what became of it, who said so, and what was measured."""

    title: str = ""
    verdict: str = ""
    by: str = ""
    measured: str = ""
    inherited_from: int | None = None
    """The number of the run that did it, for a round before a fork."""


class Side(Value):
    """One run of the comparison. ``figures`` are those of ``agents.sent.compared``."""

    run_id: UUID
    number: int
    status: str
    reasoner: str
    policy: str
    parent: int | None = None
    """The number of the run that it was forked from."""
    parent_round: int | None = None
    """The first round that is its own; those before are its parent's."""
    hypothesis: str = ""
    figures: dict[str, Any] = {}
    seconds: float = 0.0
    """From the first step to the last event."""
    best: float | None = None
    unit: str = ""
    is_better: bool = False
    """The best of all that are shown, by the study's first objective; of none where two are alike."""
    verdicts: dict[str, int] = {}
    """How often people said what; what a stated rule let through is counted as ``by rule``."""
    findings: list[Claim] = []

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return int(self.figures["prompt tokens"] + self.figures["completion tokens"])


def sides_of(runs: Sequence[Run]) -> list[Side]:
    """Return ``runs``, at most ``MOST``, side by side in the order given. The queries do not grow with their rounds."""
    verdicts, findings, figures = _verdicts(runs), _findings(runs), compared(runs)
    parents = dict(Run.objects.filter(forks__in=[run.pk for run in runs]).values_list("pk", "number"))
    better = _better(runs)
    return [
        Side(
            run_id=run.pk,
            number=run.number,
            status=run.status,
            reasoner=run.reasoner,
            policy=run.policy,
            parent=parents.get(run.parent_id) if run.parent_id else None,
            parent_round=first_own_round(run) if run.parent_id else None,
            hypothesis=((run.state or {}).get("hypothesis") or {}).get("text", ""),
            figures=row,
            seconds=_seconds(run),
            best=_best(run),
            unit=str(((run.state or {}).get("best") or {}).get("unit", "")),
            is_better=run.pk == better,
            verdicts=dict(verdicts[run.pk]),
            findings=findings[run.pk],
        )
        for run, row in zip(runs, figures, strict=True)
    ]


def first_own_round(run: Run) -> int:
    """Return the first round that a fork did itself; 1 for a run that is none."""
    if not run.parent_id or not run.start:
        return 1
    return int(run.start.get("current_step", 0)) + int(not run.start.get("gate"))


def last_round(runs: Sequence[Run]) -> int:
    """Return the last round that any of ``runs`` came to."""
    return max((run.round for run in runs), default=0)


def rounds_of(runs: Sequence[Run], *, first: int, last: int) -> dict[int, dict[UUID, Round]]:
    """Return what each of ``runs`` did in the rounds from ``first`` to ``last``, by round and run."""
    ids = [run.pk for run in runs]
    gates = Gate.objects.filter(run__in=ids, kind=GateKind.PROPOSAL, round__range=(first, last)).order_by(
        "opened_at"
    )
    measured: dict[tuple[UUID, int], list[str]] = defaultdict(list)
    for row in Experiment.objects.filter(run__in=ids, round__range=(first, last)).order_by(
        "position", "created_at"
    ):
        measured[row.run_id, row.round] += _values(row)  # type: ignore[index]
    found: dict[int, dict[UUID, Round]] = {number: {} for number in range(first, last + 1)}
    for gate in gates:
        answer = gate.answer or {}
        found[gate.round][gate.run_id] = Round(
            title=str(gate.request.get("title", "")),
            verdict=str(answer.get("verdict", "")),
            by=str(answer.get("by", "")),
            measured="; ".join(measured.get((gate.run_id, gate.round), [])),
        )
    for run in runs:
        numbers = {each.pk: each.number for each in runs}
        for number in range(first, min(last, first_own_round(run) - 1) + 1):
            theirs = found[number].get(run.parent_id, Round()) if run.parent_id in numbers else Round()
            from_run = numbers.get(run.parent_id) if run.parent_id else None
            found[number][run.pk] = theirs.model_copy(update={"inherited_from": from_run or 0})
    return found


def _values(row: Experiment) -> list[str]:
    return [
        f"{m['objective']} {m['value']:.4g} {m.get('unit', '')}".strip()
        if isinstance(m.get("value"), int | float)
        else f"{m['objective']}: {m.get('status', '')}"
        for m in row.measurements
    ]


def _verdicts(runs: Sequence[Run]) -> dict[UUID, Counter[str]]:
    counts: dict[UUID, Counter[str]] = {run.pk: Counter() for run in runs}
    rows = Gate.objects.filter(run__in=list(counts), status=Gate.Status.ANSWERED).order_by()
    for run_id, verdict, source in rows.values_list("run_id", "answer__verdict", "answer__source"):
        counts[run_id]["by rule" if str(source).startswith(BY_RULE) else str(verdict)] += 1
    return counts


def _findings(runs: Sequence[Run]) -> dict[UUID, list[Claim]]:
    rows: dict[UUID, list[Finding]] = {run.pk: [] for run in runs}
    active = Finding.objects.filter(run__in=list(rows), status=Finding.Status.ACTIVE)
    for row in active.order_by("-confidence", "-support", "number"):
        rows[row.run_id].append(row)  # type: ignore[index]
    texts = Counter(text for found in rows.values() for text in {row.text for row in found})
    return {
        run_id: [
            Claim(
                name=f"F{row.number}", text=row.text, confidence=row.confidence, is_shared=texts[row.text] > 1
            )
            for row in found[:FINDINGS]
        ]
        for run_id, found in rows.items()
    }


def _seconds(run: Run) -> float:
    if run.started_at is None:
        return 0.0
    until = run.ended_at or run.last_event_at or run.started_at
    return max(0.0, (until - run.started_at).total_seconds())


def _best(run: Run) -> float | None:
    value = ((run.state or {}).get("best") or {}).get("value")
    return float(value) if isinstance(value, int | float) else None


def _better(runs: Sequence[Run]) -> UUID | None:
    """Return the run with the best value, or None when that cannot be told: no objective, no value, or a tie."""
    rows = (runs[0].protocol or {}).get("objectives", []) if runs else []
    if not rows or len(runs) < 2:
        return None
    objective = Objective.model_validate(rows[0])
    ranked = sorted(
        ((objective.utility(value), run.pk) for run in runs if (value := _best(run)) is not None),
        reverse=True,
    )
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return ranked[0][1]
