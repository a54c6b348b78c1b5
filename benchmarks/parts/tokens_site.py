"""One run of ``tokens.py`` through the whole of Daybook: document, digest, study, engine, store, prompts over HTTP."""

import io
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from agents.testing import ModelServer
from agents.testing.replies import Request, Script
from benchmarks.parts import tokens_tool
from benchmarks.parts.tokens_work import Work

TOOL_PATH = "benchmarks.parts.tokens_tool:run_experiment"
TOOLS = ["recall_record", "run_experiment", "search_documents"]
RESPONSE = {"name": "yield_percent", "unit": "%", "goal": "maximise"}
SPACE = [
    {"name": "temperature_k", "kind": "continuous", "low": 300, "high": 2000, "unit": "K"},
    {"name": "catalyst", "kind": "categorical", "levels": [f"C{number}" for number in range(1, 8)]},
    {"name": "minutes", "kind": "integer", "low": 10, "high": 30, "unit": "min"},
]


@dataclass
class Ran:
    """A run that ended, the requests that it made, those of a run whose worker died at every step among them; when
    each round began on this process's CPU clock, in seconds; and the bytes that its rows and their indexes take."""

    run: Any
    requests: list[Request]
    began: list[float]
    bytes: int


@contextmanager
def site() -> Iterator[None]:
    """Set up Django on an empty database in a folder of its own, and remove both afterwards."""
    with tempfile.TemporaryDirectory(prefix="daybook-tokens-") as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "project.settings",
            "DAYBOOK_HOME": folder,
            "DATABASE_URL": f"sqlite:///{folder}/daybook.sqlite3",
            "DAYBOOK_TOOLS": TOOL_PATH,
            "LOG_LEVEL": "CRITICAL",
        }
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        yield


def run_through(work: Work, script: Script, *, steps: int, cache_minimum: int, dies: bool = False) -> Ran:
    """Upload the paper, have it digested, start a run and drive it to its end; ``dies`` kills the worker after
    every answer of the model, before it is stored."""
    from agents.services import start_run

    tokens_tool.use_work(work)
    with ModelServer(script) as server, _connected_to(server, cache_minimum):
        study = _study(work)
        before, began = _used_bytes(), []
        run = start_run(
            study,
            by="benchmark",
            policy="auto",
            budget={"rounds": 5 * steps, "experiments": None, "tokens": None},
        )
        _drive(run, _Killer(server) if dies else None, began)
        return Ran(run, list(server.requests), began, _used_bytes() - before)


def _used_bytes() -> int:
    """Return the bytes of the database's pages that hold something."""
    from django.db import connection

    with connection.cursor() as cursor:
        size, used, free = (
            cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_size", "page_count", "freelist_count")
        )
    return int(size * (used - free))


def recall(run: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a tool of the run's study answers in one call, as a step of the run would get it."""
    from asgiref.sync import async_to_sync

    from agents.core.study import StudyProtocol
    from agents.core.tools import Action
    from agents.wiring import toolbox_for

    toolbox = toolbox_for(StudyProtocol.model_validate(run.protocol))
    result = async_to_sync(toolbox.call)(
        Action(tool=tool, arguments=arguments), idempotency_key=f"{run.pk}:benchmark"
    )
    return dict(result.data)


def _study(work: Work) -> Any:
    from agents.models import Study
    from agents.services.digests import digest_next
    from agents.services.documents import add_document

    study = Study.objects.create(
        slug=f"tokens-{Study.objects.count() + 1}",
        title="Tokens",
        goal=work.goal,
        objectives=[RESPONSE],
        space={"parameters": SPACE},
        tools=TOOLS,
        experiment_tool="run_experiment",
        reasoner="language_model",
    )
    add_document(study, file=io.BytesIO(work.paper.encode()), name="paper.txt", media_type="text/plain")
    while digest_next(study_id=study.pk):
        pass
    study.refresh_from_db()
    return study


@contextmanager
def _connected_to(server: ModelServer, cache_minimum: int) -> Iterator[None]:
    from django.test import override_settings

    from agents import wiring
    from agents.adapters.openai.endpoint import forget_endpoints

    settings_of_site = wiring.model_settings

    def cached() -> Any:
        return settings_of_site().model_copy(update={"cache_minimum": cache_minimum})

    forget_endpoints()
    names = dict.fromkeys(("reason", "refine", "digest"), "scripted")
    with (
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="", DAYBOOK_MODELS=names),
        patch.object(wiring, "model_settings", cached),
    ):
        yield
    forget_endpoints()


def _approve(run: Any) -> None:
    from django.db import transaction

    from agents.models import Gate
    from agents.services import deliver, prepare_answer

    gate = Gate.objects.get(run=run, status="open")
    assert gate.request["kind"] in ("proposal", "finish"), gate.request
    with transaction.atomic():
        deliver(gate, prepare_answer(gate, verdict="approve", by="benchmark"), shown_digest=gate.digest)


class _Killed(BaseException):
    """The worker is gone."""


class _Killer:
    """Ends the worker after every first answer to a prompt, and lets the second one live."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._seen = 0
        self._has_killed = False

    def at(self, point: str) -> None:
        """Raise when a new answer has just arrived."""
        if point != "after_effect" or len(self._server.requests) == self._seen:
            return
        self._seen = len(self._server.requests)
        self._has_killed = not self._has_killed
        if self._has_killed:
            raise _Killed


def _drive(run: Any, killer: _Killer | None, began: list[float]) -> None:
    """Claim and advance as a worker does, noting when each round began, and approve as a person does: the paper's limits are text, which always
    asks a person. So every step begins from the rows alone."""
    from agents.models import Run
    from agents.store import journal
    from agents.store.lease import claim
    from agents.worker import advance

    run.refresh_from_db()
    while not run.has_ended:
        if run.status == "waiting":
            began.append(time.process_time())
            _approve(run)
        # What waits after a lost worker may go on at once here: nobody counts the seconds.
        Run.objects.filter(pk=run.pk).update(not_before=None, crashes=0)
        lease = claim(worker="benchmark", run_id=run.pk)
        assert lease is not None or killer is not None, f"the run is {run.status}: {run.error}"
        if lease is not None and killer is None:
            advance(lease)
        elif lease is not None and killer is not None:
            with patch.object(journal, "fault_point", killer.at), suppress(_Killed):
                advance(lease)
            Run.objects.filter(pk=run.pk).update(lease_until="2000-01-01T00:00:00Z")
        run.refresh_from_db()
