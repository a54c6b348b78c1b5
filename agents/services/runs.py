"""Starting, steering and ending runs."""

from typing import Any, get_args
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from pydantic import ValidationError

from agents.core import versions
from agents.core.budget import Budget
from agents.core.errors import BadInput, IllegalTransition
from agents.core.lifecycle import RunStatus
from agents.core.policy import POLICIES
from agents.core.study import MemoryMode
from agents.core.text import clean_text
from agents.models import Gate, Run, Study
from agents.services.policies import current_policy, preset_of
from agents.services.protocols import config_digest, missing_for_start, protocol_of
from agents.services.studies import check_fields
from agents.signals import work_queued
from agents.store.log import append, lock_run
from agents.store.runs import cancel, move, pause

GUIDANCE_LIMIT = 4000


def start_run(
    study: Study,
    *,
    by: str,
    user: User | None = None,
    policy: str = "",
    reasoner: str = "",
    seed: int | None = None,
    budget: dict[str, Any] | None = None,
    memory: str = "",
    milestones: int | None = None,
) -> Run:
    """Create a queued run of ``study`` and return it. Raises ``BadInput`` naming what is missing.

    ``policy``, ``reasoner`` and ``budget`` replace the study's own for this run. The seed is the run's number
    unless given, so that runs differ and each can be repeated. ``memory`` is ``full_history`` for a run that
    re-reads documents and rounds at every step, for comparison. ``milestones`` replaces the study's rounds from
    one review of the memory to the next; 0 for none.
    """
    if reasoner:
        study.reasoner = reasoner
    if policy and policy not in POLICIES:
        raise BadInput(f"There is no policy {policy!r}; choose one of {', '.join(POLICIES)}.")
    if memory not in ("", *get_args(MemoryMode)):
        raise BadInput(f"There is no memory {memory!r}; choose distilled or full_history.")
    if memory == "full_history" and study.reasoner_name != "language_model":
        raise BadInput(
            "Only a language model re-reads its history; the optimiser reads the ledger. Choose the model."
        )
    missing = missing_for_start(study)
    if missing:
        raise BadInput("The run cannot start yet. " + " ".join(missing))
    if milestones is not None:
        study.milestones = check_fields({"milestones": milestones})["milestones"]
    return _create(study, by=by, user=user, policy=policy, seed=seed, budget=budget, memory=memory)


@transaction.atomic
def _create(
    study: Study,
    *,
    by: str,
    user: User | None,
    policy: str,
    seed: int | None,
    budget: dict[str, Any] | None,
    memory: str,
) -> Run:
    Study.objects.select_for_update().get(pk=study.pk)
    number = (study.runs.aggregate(last=Max("number"))["last"] or 0) + 1
    protocol = protocol_of(study, seed=number if seed is None else seed)
    table = preset_of(study, policy) if policy else current_policy(study)
    changes: dict[str, Any] = {"policy": table.name}
    if memory:
        changes["memory"] = memory
    if budget:
        changes["budget"] = check_budget({**protocol.budget.model_dump(), **budget})
    protocol = protocol.model_copy(update=changes)
    run = Run.objects.create(
        study=study,
        number=number,
        protocol=protocol.model_dump(mode="json"),
        reasoner=protocol.reasoner,
        policy=protocol.policy,
        graph_version=versions.GRAPH_VERSION,
        policy_table=table.model_dump(mode="json"),
        config_digest=config_digest(protocol),
        created_by=user,
    )
    payload = {
        "title": study.title,
        "number": number,
        "reasoner": run.reasoner,
        "policy": run.policy,
        "policy_version": table.version,
        "by": by,
        "budget": protocol.budget.model_dump(mode="json"),
        "config_digest": run.config_digest,
    }
    append(run, "run.created", payload)
    transaction.on_commit(lambda: work_queued.send(sender=Run, run_id=run.pk))
    return run


def check_budget(given: dict[str, Any]) -> Budget:
    """Return ``given`` as a budget; raises ``BadInput`` naming the limit."""
    try:
        return Budget.model_validate(given)
    except ValidationError as fault:
        problems = [
            {
                "field": ".".join(str(part) for part in error["loc"]),
                "message": f"budget {'.'.join(str(part) for part in error['loc'])}: {error['msg']}",
                "expected": error["msg"],
                "received": repr(error.get("input")),
            }
            for error in fault.errors()
        ]
        raise BadInput(
            "The budget was not changed: " + "; ".join(p["message"] for p in problems), problems
        ) from None


@transaction.atomic
def give_guidance(run_id: UUID, *, text: str, by: str) -> int:
    """Queue a sentence for the next reasoning step and return its event's number."""
    text = clean_text(text).strip()
    if not text:
        raise BadInput("Write what the reasoner should take into account.")
    if len(text) > GUIDANCE_LIMIT:
        raise BadInput(
            f"The guidance has {len(text)} characters; at most {GUIDANCE_LIMIT} reach the reasoner."
        )
    run = lock_run(run_id)
    if run.has_ended:
        raise IllegalTransition(f"The run has ended ({run.status}); guidance would reach nobody.")
    return append(run, "guidance.given", {"text": text, "by": by}, round=run.round)


@transaction.atomic
def stop_run(run_id: UUID, *, by: str) -> Run:
    """Stop for good: at once when it is not running, else before its next effect. Stopping twice is one stop."""
    run = lock_run(run_id)
    if run.status == RunStatus.CANCELLED or (run.status == RunStatus.RUNNING and run.wish == "stop"):
        return run
    if run.status == RunStatus.RUNNING:
        _wish(run, "stop", by)
    else:
        cancel(run, by=by)
    return run


@transaction.atomic
def pause_run(run_id: UUID, *, by: str, why: str = "") -> Run:
    """Set the run aside: at once when it is not running, else before its next effect. ``why`` is told to people."""
    run = lock_run(run_id)
    if run.status == RunStatus.PAUSED or (run.status == RunStatus.RUNNING and run.wish):
        return run
    if run.status == RunStatus.RUNNING:
        _wish(run, "pause", by, why)
    else:
        pause(run, by=by, why=why)
    return run


def _wish(run: Run, wish: str, by: str, why: str = "") -> None:
    run.wish, run.wait = wish, {"by": by, "why": why} if why else {"by": by}
    run.save(update_fields=["wish", "wait"])


@transaction.atomic
def resume_run(run_id: UUID, *, by: str) -> Run:
    """Go on after a pause: back to its open gate, or to work."""
    run = lock_run(run_id)
    if run.status != RunStatus.PAUSED:
        raise IllegalTransition(f"The run is {run.status}, not paused.")
    if run.state.get("held"):
        offered = ", ".join(run.state["held"]["choices"])
        raise IllegalTransition(f"The program has changed since this run began: choose one of {offered}.")
    append(run, "run.resumed", {"by": by})
    go_on(run)
    return run


def go_on(run: Run) -> None:
    """Let the locked, paused run go on: back to its open gate, or to work."""
    gate = Gate.objects.filter(run=run, status=Gate.Status.OPEN).first()
    if gate is None:
        move(run, RunStatus.QUEUED)
    else:
        wait = {"gate": gate.key, "kind": gate.kind, "title": gate.request["title"]}
        move(run, RunStatus.WAITING, wait=wait)


@transaction.atomic
def retry_run(run_id: UUID, *, by: str) -> Run:
    """Queue a failed run again from its last checkpoint."""
    run = lock_run(run_id)
    if run.status != RunStatus.FAILED:
        raise IllegalTransition(f"The run is {run.status}; only a failed run is retried.")
    append(run, "run.retried", {"by": by})
    move(run, RunStatus.QUEUED, error="", crashes=0)
    return run


@transaction.atomic
def change_budget(run_id: UUID, *, by: str, **limits: Any) -> Run:
    """Replace limits of a run that has not ended; ``None`` lifts a limit."""
    run = lock_run(run_id)
    if run.has_ended:
        raise IllegalTransition(f"The run has ended ({run.status}); start a new one with the larger budget.")
    budget = check_budget({**run.protocol["budget"], **limits}).model_dump(mode="json")
    run.protocol = {**run.protocol, "budget": budget}
    run.save(update_fields=["protocol"])
    append(run, "budget.changed", {"budget": budget, "by": by})
    return run
