"""Rows and threads that tests of the store and the services share."""

import threading
from collections.abc import Callable
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth import get_user_model
from django.db import connections

from agents.core.gates import Answer, GateKind, GateRequest
from agents.core.study import StudyProtocol
from agents.models import Event, Gate, Run, Study
from agents.services import start_run
from agents.store.journal import OrmJournal
from agents.store.lease import Lease, claim
from agents.testing.toolbox import TOY_OBJECTIVE, TOY_SPACE

ACTION = {"tool": "weigh", "arguments": {"dose": 5}}
DIGEST = "d" * 64


def make_study(**changes: Any) -> Study:
    """Return a stored study whose experiments are the toy tool's."""
    fields = {
        "slug": f"toy-{Study.objects.count() + 1}",
        "title": "Toy",
        "goal": "find the dose with the largest mass",
        "space": TOY_SPACE.model_dump(mode="json"),
        "objectives": [TOY_OBJECTIVE.model_dump(mode="json")],
        "experiment_tool": "weigh",
    }
    return Study.objects.create(**{**fields, **changes})


def make_run(study: Study | None = None, **given: Any) -> Run:
    """Return a queued run."""
    return start_run(study or make_study(), by="ana", **given)


def take(run: Run, worker: str = "w1") -> Lease:
    """Return the lease on ``run``."""
    lease = claim(worker=worker, run_id=run.pk)
    assert lease is not None, f"the run is {Run.objects.get(pk=run.pk).status}"
    return lease


def lose(run: Run) -> None:
    """End the lease on ``run`` as if its worker had been lost."""
    Run.objects.filter(pk=run.pk).update(lease_until="2000-01-01T00:00:00Z")


def journal_of(lease: Lease) -> OrmJournal:
    """Return the journal under ``lease``."""
    run = Run.objects.get(pk=lease.run_id)
    return OrmJournal(lease, StudyProtocol.model_validate(run.protocol))


def do(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call an asynchronous function from a test, with its database work on the test's connection."""
    return async_to_sync(function)(*args, **kwargs)


def request_for(key: str = "1/review", **changes: Any) -> GateRequest:
    """Return the request to run the toy action."""
    fields: dict[str, Any] = {
        "key": key,
        "kind": GateKind.PROPOSAL,
        "round": 1,
        "digest": DIGEST,
        "title": "Weigh 5 mg",
        "content": {
            "proposal": {"hypothesis": {"text": "more is better"}, "action": ACTION},
            "executor": "machine",
        },
    }
    return GateRequest(**{**fields, **changes})


def open_gate(run: Run, **changes: Any) -> Gate:
    """Let a worker open a gate of ``run`` and park it there; return the gate."""
    from agents.store.runs import park

    request = request_for(**changes)
    lease = take(run)
    do(journal_of(lease).ask, request)
    park(lease, gate_key=request.key)
    return Gate.objects.get(run=run, key=request.key)


def answer_with(verdict: str, by: str = "ana", **changes: Any) -> Answer:
    """Return an answer as ``prepare_answer`` would."""
    return Answer(verdict=verdict, by=by, **changes)


def log_of(run: Run) -> list[str]:
    """Return the kinds of the run's events in order."""
    return list(Event.objects.filter(run=run).order_by("seq").values_list("kind", flat=True))


def make_user(name: str) -> Any:
    """Return a user."""
    return get_user_model().objects.create_user(name)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Run ``works`` in threads that start together; return what each returned or raised."""
    results: list[Any] = [None] * len(works)
    start = threading.Barrier(len(works))

    def run(number: int) -> None:
        start.wait()
        try:
            results[number] = works[number]()
        except Exception as fault:
            results[number] = fault
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
