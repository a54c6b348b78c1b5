"""A study whose reasoner is a scripted model over HTTP, driven as a worker drives it."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agents import wiring
from agents.models import Run
from agents.services import start_run
from agents.store.lease import claim
from agents.testing import ModelServer, Say
from agents.worker import advance
from benchmarks.parts.faults_site import connected_to
from tests.support import make_study

SUMMARY = Say("Done.")


def say(**parts: Any) -> Say:
    """Return a reply of the model with hypothesis and reason."""
    turn = {
        "memory": [],
        "hypothesis": {"text": "Aspirin weighs about 180 g/mol.", "refuted_by": "another weight"},
        "reason": "It follows from the structure.",
        **parts,
    }
    return Say(json.dumps(turn))


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a call as the model writes it."""
    return {"tool": tool, "arguments": arguments}


def finish(answer: str) -> Say:
    """Return the reply that ends the run."""
    return Say(json.dumps({"memory": [], "finish": {"answer": answer, "findings": []}}))


class Lab:
    """Runs of one study against scripts. ``server`` is the last one, with the requests that came."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.server: ModelServer

    def start(self, script: list[Any], *, policy: str = "every_step", **study: Any) -> Run:
        """Start a run and drive it to its first wait."""
        self.server = self._stack.enter_context(ModelServer([*script, SUMMARY]))
        self._stack.enter_context(connected_to(self.server))
        fields = {
            "goal": "Find the molecular weight and LogP of aspirin.",
            "reasoner": "language_model",
            "policy": policy,
            "space": {},
            "objectives": [],
            "experiment_tool": "",
            **study,
        }
        run = start_run(make_study(**fields), by="ana")
        return self.drive(run)

    def drive(self, run: Run) -> Run:
        """Drive the run until it waits or ends."""
        lease = claim(worker="test", run_id=run.pk)
        assert lease is not None
        advance(lease)
        run.refresh_from_db()
        return run


@pytest.fixture
def lab(transactional_db: None) -> Iterator[Lab]:
    """A lab that lets go of its servers."""
    with ExitStack() as stack:
        yield Lab(stack)


@pytest.fixture
def toys(settings: Any) -> Iterator[Callable[[], None]]:
    """Install the toys of these tests."""
    settings.DAYBOOK_TOOLS = ["tests.workflows.toys"]
    wiring.registry.cache_clear()
    yield lambda: None
    wiring.registry.cache_clear()
