"""Runs that an older program began: held until a person says how they go on."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from agents.core import versions
from agents.core.errors import IllegalTransition
from agents.core.lifecycle import RunStatus
from agents.core.versions import Changed, Configuration, Difference, choices, graph_difference
from agents.models import Run
from agents.services.forks import fork_latest
from agents.services.runs import go_on
from agents.store.lease import Lease
from agents.store.log import append, lock_run
from agents.store.runs import cancel_gates, move, obey

TITLE = "The program has changed since this run began: finish, fork or close it."


def configuration_in(run: Run) -> Configuration | None:
    """Return what ``run`` was last driven or accepted with; None before its first drive."""
    stored = run.state.get("configuration")
    return Configuration.model_validate(stored) if stored else None


@transaction.atomic
def hold(lease: Lease, change: Changed) -> str:
    """Set the run of ``lease`` aside until a person chose. Returns its new status."""
    run = lock_run(lease.run_id, epoch=lease.epoch)
    if run.wish:
        obey(run)
    else:
        _hold(run, change.differences, change.configuration)
    return str(run.status)


def hold_others() -> int:
    """Hold every run that waits for people and was begun by another graph version; return how many."""
    rows = Run.objects.filter(status__in=(RunStatus.WAITING, RunStatus.PAUSED))
    held = 0
    for row in rows.exclude(graph_version=versions.GRAPH_VERSION).only("id", "state", "graph_version"):
        if not row.state.get("held") and graph_difference(configuration_in(row), graph=row.graph_version):
            held += _hold_waiting(row.pk)
    return held


@transaction.atomic
def _hold_waiting(run_id: UUID) -> bool:
    run = lock_run(run_id)
    if run.status not in (RunStatus.WAITING, RunStatus.PAUSED) or run.state.get("held"):
        return False
    stored = configuration_in(run)
    accepted = Configuration(
        graph=run.graph_version, program=versions.GRAPH_VERSION, tools=stored.tools if stored else {}
    )
    _hold(run, graph_difference(stored, graph=run.graph_version), accepted)
    return True


def _hold(run: Run, found: Sequence[Difference], configuration: Configuration) -> None:
    payload = {
        "differences": [difference.model_dump() for difference in found],
        "sentences": [difference.sentence for difference in found],
        "choices": choices(found, graph=run.graph_version),
        "configuration": configuration.model_dump(),
    }
    append(run, "run.held", payload)
    wait = {"by": "", "kind": "held", "title": TITLE}
    if run.status == RunStatus.PAUSED:
        run.wait = wait
        run.save(update_fields=["wait"])
    else:
        move(run, RunStatus.PAUSED, wish="", wait=wait)


@transaction.atomic
def choose(run_id: UUID, choice: str, *, by: str, user: User | None = None) -> Run:
    """Settle a held run and return the run that goes on (or was closed).

    ``finish`` goes on with this program as it is now, on the graph that is stored; ``fork`` closes the run and
    goes on beside it on the new one, with its state and no approvals; ``close`` ends it. Raises
    ``IllegalTransition`` for a run that is not held and for a choice that it was not offered.
    """
    run = lock_run(run_id)
    held = run.state.get("held")
    if run.status != RunStatus.PAUSED or not held:
        raise IllegalTransition(f"The run is {run.status} and not held: there is nothing to choose.")
    if choice not in held["choices"]:
        raise IllegalTransition(f"This run offers {', '.join(held['choices'])}; {choice!r} is not possible.")
    if choice == "finish":
        append(run, "run.configured", {**held["configuration"], "by": by, "choice": choice})
        append(run, "run.resumed", {"by": by})
        go_on(run)
        return run
    if choice == "close":
        _close(run, by=by, outcome=f"closed by {by} after a change of the program")
        return run
    fork = fork_latest(Run.objects.get(pk=run.pk), by=by, user=user)
    _close(run, by=by, outcome=f"goes on as run {fork.number}")
    return fork


def _close(run: Run, *, by: str, outcome: str) -> None:
    cancel_gates(run, by=by)
    append(run, "run.finished", {"outcome": outcome, "status": "cancelled", "by": by})
    move(run, RunStatus.CANCELLED)


def told(state: dict[str, Any]) -> str:
    """Return what keeps a held run, for a terminal; empty when it is not held."""
    held = state.get("held")
    return f"{' '.join(held['sentences'])} Choose: {', '.join(held['choices'])}." if held else ""
