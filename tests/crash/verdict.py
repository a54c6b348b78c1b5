"""Compares what the log of every run says with what the instrument wrote down."""

from collections import Counter
from typing import Any

from agents.core.lifecycle import RunStatus
from agents.models import Effect, Event, Gate, Run
from agents.store.audit import log_problems
from reviews.models import Decision
from tests.crash.instrument import Use, uses
from tests.crash.life import PLAN

MACHINE_ROUNDS = {number: name for number, name in enumerate(PLAN, start=1) if name != "ask_researcher"}


def verdict(oracle: str) -> dict[str, Any]:
    """Return the figures of a crash run; all but the counts of runs, events, uses and questions should be 0."""
    used = uses(oracle)
    runs = list(Run.objects.all())
    return {
        "runs": len(runs),
        "not_ended_well": sum(run.status != RunStatus.SUCCEEDED for run in runs),
        "events": Event.objects.count(),
        "log_problems": sum(len(log_problems(run.pk)) for run in runs),
        "uses": len(used),
        "doubled_blind": _doubled(used, "fire", by_key=False),
        "doubled_keyed": _doubled(used, "dose", by_key=True),
        "lost": sum(_lost(run, used) for run in runs),
        "unknown_outcomes": Effect.objects.filter(effect_class="blind", tries__gt=1).count(),
        "unasked": _unasked(),
        "answers_without_decision": _answers_without_decision(),
        "decisions": Decision.objects.count(),
    }


def _round_of(use: Use) -> str:
    run, key, _ = use.key.split(":")
    return f"{run}:{key}"


def _doubled(used: list[Use], tool: str, *, by_key: bool) -> int:
    """Return how often a round's effect took place beyond the first time.

    A service that honours keys does the work once for each key; else every use counts.
    """
    mine = [use for use in used if use.tool == tool]
    done = (
        {(use.key, _round_of(use)) for use in mine} if by_key else [(use.key, _round_of(use)) for use in mine]
    )
    return sum(count - 1 for count in Counter(round for _, round in done).values())


def _lost(run: Run, used: list[Use]) -> int:
    """Return how many rounds of ``run`` have a result in the log that the instrument knows nothing of, or none."""
    known = {_round_of(use) for use in used}
    outcomes = dict(
        Event.objects.filter(run=run, kind="round.completed").values_list("round", "payload__outcome")
    )
    missing = [number for number in range(1, len(PLAN) + 1) if number not in outcomes]
    unreal = [
        number for number, name in MACHINE_ROUNDS.items() if f"{run.pk}:{number}/act/{name}" not in known
    ]
    return len(missing) + len(unreal)


def _unasked() -> int:
    """Return how many effects of unknown outcome were not put before a person."""
    unknown = Event.objects.filter(kind="effect.unknown").values_list("run_id", "round", "payload__attempt")
    asked = set(Gate.objects.filter(kind="outcome").values_list("run_id", "key"))
    return sum((run, f"{number}/outcome/{attempt}") not in asked for run, number, attempt in unknown)


def _answers_without_decision() -> int:
    by_people = Gate.objects.filter(status=Gate.Status.ANSWERED).exclude(answer__by="policy")
    return by_people.count() - Decision.objects.count()
