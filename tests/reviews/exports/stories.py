"""Runs told by their log, as the engine writes it, without the engine."""

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from agents.core.canonical import digest_of
from agents.core.evidence import judge_evidence
from agents.core.gates import GateKind, GateRequest
from agents.core.lifecycle import RunStatus
from agents.core.measurement import Experiment, Measurement
from agents.core.science import Objective
from agents.core.tools import Action
from agents.models import Gate, Run, Study
from agents.services import create_study, start_run
from agents.store.gates import ask_gate
from agents.store.log import append, lock_run
from agents.store.runs import move
from reviews.models import Role
from reviews.services import add_member, decide

SPACE = {
    "parameters": [
        {"name": "base", "kind": "categorical", "levels": ["KOAc", "CsOPiv"]},
        {"name": "temperature", "kind": "continuous", "unit": "°C", "low": 60, "high": 120},
    ]
}
YIELD = {"name": "yield", "unit": "%", "low": 0, "high": 100}
CAP = {
    "id": "C1",
    "text": "At most 110 °C.",
    "predicate": {"kind": "bound", "parameter": "temperature", "op": "<=", "value": 110},
    "source": {
        "origin": "document",
        "document_id": "d",
        "document": "paper.pdf",
        "page": 4,
        "quote": "below 110 °C",
        "verified": True,
    },
}


def user(name: str = "ada", **fields: Any) -> Any:
    """Return the person called ``name``."""
    people = get_user_model().objects
    return people.filter(username=name).first() or people.create_user(name, **fields)


def a_study(**fields: Any) -> Study:
    """Return a study whose researcher is the instrument; ada owns it."""
    given = {
        "title": "Best base",
        "goal": "Find the base with the highest yield.",
        "space": SPACE,
        "objectives": [YIELD],
        "constraints": [CAP],
        "experiment_tool": "ask_researcher",
        **fields,
    }
    study = create_study(**given)
    add_member(study=study, user=user(), role=Role.OWNER)
    return study


def a_run(study: Study | None = None, *, policy: str = "every_step") -> Run:
    """Return a run at work, its digest taken in."""
    run = start_run(study or a_study(), by="ada", policy=policy)
    with transaction.atomic():
        run = lock_run(run.pk)
        move(run, RunStatus.RUNNING)
        append(run, "run.started", {})
        filed = {"goal": run.protocol["goal"], "constraints": [], "documents": [], "hypothesis": None}
        append(run, "digest.filed", filed, key="digest")
    return run


@transaction.atomic
def log(run: Run, kind: str, payload: dict[str, Any], *, round: int | None = None) -> None:
    """Append an event."""
    append(lock_run(run.pk), kind, payload, round=round)


def proposal(
    arguments: dict[str, Any], hypothesis: str, expected: tuple[float, float, float] | None
) -> dict[str, Any]:
    """Return a proposal as the engine files it."""
    prediction = None
    if expected:
        mean, low, high = expected
        prediction = {"objective": "yield", "mean": mean, "low": low, "high": high, "level": 0.9, "unit": "%"}
    return {
        "hypothesis": {"text": hypothesis, "refuted_by": "A yield outside the interval.", "confidence": None},
        "action": {"tool": "ask_researcher", "arguments": arguments},
        "prediction": prediction,
        "reason": "It is the most uncertain.",
        "is_replicate": False,
        "details": {},
    }


def propose(
    run: Run,
    number: int,
    arguments: dict[str, Any],
    *,
    hypothesis: str = "Caesium does better.",
    expected: tuple[float, float, float] | None = (50, 30, 70),
) -> Gate:
    """Put an experiment before the gate and return the gate."""
    made = proposal(arguments, hypothesis, expected)
    action = Action.model_validate(made["action"])
    request = GateRequest(
        key=f"{number}/review",
        kind=GateKind.PROPOSAL,
        round=number,
        title=f"Measure: {', '.join(f'{k} {v}' for k, v in arguments.items())}",
        digest=digest_of(action.model_dump(mode="json")),
        content={"proposal": made, "is_experiment": True, "executor": "person"},
    )
    with transaction.atomic():
        locked = lock_run(run.pk)
        append(locked, "round.started", {"reasoner": "optimiser"}, round=number)
        append(locked, "proposal.made", {"proposal": made}, round=number, key=f"{number}/proposal")
        ask_gate(locked, request)
    return Gate.objects.get(run=run, key=request.key)


@transaction.atomic
def wait(run: Run, gate: Gate) -> None:
    """Park the run at ``gate``, as its worker does."""
    locked = lock_run(run.pk)
    move(
        locked, RunStatus.WAITING, wait={"gate": gate.key, "kind": gate.kind, "title": gate.request["title"]}
    )


def measure(run: Run, number: int, gate: Gate, value: float | None, **fields: Any) -> Experiment:
    """File the result of a round, with its evidence."""
    made = gate.request["content"]["proposal"]
    status = fields.pop("measured_as", "ok")
    measurement = Measurement(
        objective="yield", value=value, unit="%", status=status, uncertainty=fields.pop("sd", None)
    )
    given = {
        "planned": made["action"]["arguments"],
        "origin": "person",
        "operator": "ada",
        "round": number,
        **fields,
    }
    experiment = Experiment(id=f"e{number}", measurements=[measurement], **given)
    evidence = judge_evidence(experiment, made["prediction"], [], [Objective.model_validate(YIELD)])
    log(
        run,
        "experiment.filed",
        {"experiment": experiment.model_dump(mode="json"), "prediction": made["prediction"], "best": None},
        round=number,
    )
    log(run, "evidence.filed", {"experiment": experiment.id, **evidence}, round=number)
    step = {"action": made["action"], "outcome": f"yield {value} %", "stance": evidence["stance"]}
    log(run, "round.completed", step, round=number)
    return experiment


def finish(run: Run, text: str = "### Best\n\n- CsOPiv at 100 °C.") -> Run:
    """End the run with a conclusion."""
    with transaction.atomic():
        locked = lock_run(run.pk)
        append(locked, "summary.written", {"text": text, "outcome": "done"})
        append(locked, "run.finished", {"outcome": "the goal is reached", "status": "succeeded"})
        move(locked, RunStatus.SUCCEEDED)
    return locked


def whole_run() -> Run:
    """Return a run of three rounds that ended: approved, edited and vetoed once each."""
    run, ada = a_run(), user()
    first = propose(run, 1, {"base": "KOAc", "temperature": 90})
    decide(gate=first, user=ada, verdict="approve", shown_digest=first.digest, note="go on")
    measure(run, 1, first, 20.0, sd=1.5)
    second = propose(run, 2, {"base": "CsOPiv", "temperature": 90}, hypothesis="Potassium is bad.")
    decide(
        gate=second,
        user=ada,
        verdict="edit",
        shown_digest=second.digest,
        arguments={"base": "CsOPiv", "temperature": 100},
        note="hotter",
    )
    measure(
        run, 2, second, 61.5, planned={"base": "CsOPiv", "temperature": 100}, actual={"temperature": 98.5}
    )
    third = propose(run, 3, {"base": "CsOPiv", "temperature": 110}, hypothesis="Hotter is better.")
    decide(
        gate=third,
        user=ada,
        verdict="veto",
        shown_digest=third.digest,
        reason_code="unsafe",
        note="boils over",
    )
    return finish(run)


def many_rounds(count: int) -> Run:
    """Return a run of ``count`` approved rounds."""
    run = a_run(policy="auto")
    for number in range(1, count + 1):
        gate = propose(
            run, number, {"base": "KOAc", "temperature": 60 + number / 100}, hypothesis=f"Idea {number}."
        )
        measure(run, number, gate, float(number % 97))
    return run


def reload(run: Run) -> Run:
    """Return the run as stored."""
    return Run.objects.select_related("study").get(pk=run.pk)


__all__ = [
    "Study",
    "a_run",
    "a_study",
    "finish",
    "log",
    "many_rounds",
    "measure",
    "propose",
    "reload",
    "user",
    "whole_run",
]
