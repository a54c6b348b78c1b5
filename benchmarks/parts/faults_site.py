"""A Daybook site for one benchmark process: real rows in a SQLite file, the real engine, the scripted server."""

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from agents.testing import ModelServer, Traits
from agents.testing.replies import Script, prompt_text

TOOL_PATH = "benchmarks.parts.faults_tool:run_experiment"
HYPOTHESIS = "At 300 K with C1 the yield is about 10 %."
PATIENCE_S = 30.0
SILENCE_S = 3.0
"""The longest silence of a model in these runs; a site allows 120 s."""


@dataclass
class Facts:
    """What came of one run: from its rows, from the server, and from the instrument's own file."""

    status: str
    gate: str = ""
    title: str = ""
    answer: str = ""
    error: str = ""
    asked: int = 0
    charged: int = 0
    asked_at_once: int = 0
    """The most answers that one step of the run took before it went on or a person was asked."""
    longest_prompt: int = 0
    executed: list[dict[str, Any]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    seconds: float = 0.0


@contextmanager
def site() -> Iterator[Path]:
    """Set up Django on an empty database in a folder of its own, and remove both afterwards."""
    with tempfile.TemporaryDirectory(prefix="daybook-faults-") as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "project.settings",
            "DAYBOOK_HOME": folder,
            "DATABASE_URL": f"sqlite:///{folder}/daybook.sqlite3",
            "DAYBOOK_TOOLS": TOOL_PATH,
            "LOG_LEVEL": "CRITICAL",
            "TMPDIR": folder,
        }
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        yield Path(folder)


def make_study() -> Any:
    """Return a study with one tool and a language model as its reasoner."""
    from agents.models import Study
    from benchmarks.parts.faults_catalogue import GOAL

    return Study.objects.create(
        slug=f"faults-{Study.objects.count() + 1}",
        title="Faults",
        goal=GOAL,
        initial_hypothesis=HYPOTHESIS,
        objectives=[{"name": "yield", "unit": "%"}],
        tools=["run_experiment"],
        experiment_tool="run_experiment",
        reasoner="language_model",
        policy="auto",
    )


def facts_of(
    script: Script,
    *,
    mode: str = "ok",
    traits: Traits | None = None,
    **budget: int,
) -> Facts:
    """Run the study against ``script`` unattended until it ends or waits for people, and say what came of it.

    ``budget`` holds limits of the run; 12 rounds unless given.
    """
    from agents.services import start_run
    from benchmarks.parts import faults_tool

    faults_tool.prepare(mode)
    started = time.monotonic()
    with ModelServer(script, traits=traits) as model, connected_to(model):
        run = start_run(make_study(), by="benchmark", budget={"rounds": 12, **budget})
        _drive(run)
        prompts = [prompt_text(request) for request in model.requests]
    run.refresh_from_db()
    seconds = time.monotonic() - started
    return Facts(
        status=run.status,
        gate=run.wait.get("kind", ""),
        title=run.wait.get("title", ""),
        answer=_answer_of(run),
        error=run.error,
        asked=len(prompts),
        charged=run.events.filter(kind="model.called").count(),
        asked_at_once=_most_answers(run),
        longest_prompt=max(map(len, prompts), default=0),
        executed=faults_tool.executed(),
        said=sentences_of(run),
        seconds=seconds,
    )


@contextmanager
def connected_to(server: ModelServer) -> Iterator[None]:
    """Let the site use ``server``, knowing nothing of the endpoints and tools of earlier runs."""
    from django.test import override_settings

    from agents import wiring
    from agents.adapters.openai.endpoint import forget_endpoints

    settings_of_site = wiring.model_settings

    def impatient() -> Any:
        return settings_of_site().model_copy(update={"timeout_s": SILENCE_S})

    forget_endpoints()
    wiring.tool_health().clear()
    names = dict.fromkeys(("reason", "refine", "digest"), "scripted")
    with (
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="", DAYBOOK_MODELS=names),
        patch.object(wiring, "model_settings", impatient),
    ):
        yield
    forget_endpoints()


def _drive(run: Any) -> None:
    """Claim and advance as a worker does, also after a fault that put the run off."""
    from agents.store.lease import claim
    from agents.worker import advance

    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        lease = claim(worker="benchmark", run_id=run.pk)
        if lease is not None:
            advance(lease)
        run.refresh_from_db()
        if run.status != "queued":
            return
        time.sleep(0.05)


def _most_answers(run: Any) -> int:
    """Return the most answers of the model that one round took; what never came as an answer is not counted."""
    from agents.core.model_faults import OF_THE_ANSWER

    rounds = Counter(
        event.round
        for event in run.events.filter(kind="model.called")
        if event.payload["role"] == "reason" and event.payload.get("fault", "") in OF_THE_ANSWER | {""}
    )
    return max(rounds.values(), default=0)


def _answer_of(run: Any) -> str:
    """Return the answer that the run ended with."""
    last = run.events.filter(kind="finish.proposed").order_by("seq").last()
    return str(last.payload["answer"]) if last is not None else ""


def sentences_of(run: Any) -> list[str]:
    """Return everything about faults that a person reads in the log of ``run`` or on its open card."""
    found: list[str] = [run.error]
    for event in run.events.order_by("seq"):
        found += _of_event(event.kind, event.payload)
    for gate in run.gates.all():
        content = gate.request["content"]
        found += [gate.request["title"], str(content.get("problem", "")), *content.get("warnings", [])]
        found += [str(each.get("message", "")) for each in content.get("tries", [])]
    return [sentence for sentence in found if sentence]


def _of_event(kind: str, payload: dict[str, Any]) -> list[str]:
    if kind == "model.called":
        return [payload.get("message", "")]
    if kind == "proposal.refused":
        return list(payload["problems"])
    if kind == "guard.tripped":
        return [payload["reason"]]
    if kind == "effect.finished" and payload["result"]:
        return [str(payload["result"].get("error_message", "")), str(payload["result"].get("summary", ""))]
    if kind == "proposal.made":
        changed = [
            f"{c['field']}: {c['received']!r} read as {c['used']!r}" for c in payload.get("coercions", [])
        ]
        return [*changed, *payload["proposal"]["details"].get("mended", [])]
    return []


__all__ = ["Facts", "connected_to", "facts_of", "make_study", "sentences_of", "site"]
