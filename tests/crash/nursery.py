"""Starts, kills and stalls processes that live ``live``; keeps no database connection of its own.

Everything heavy is imported once and then forked, so that a life costs milliseconds and a kill may hit any of
its moments.
"""

import json
import os
import random
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

LEASE_SECONDS = "1.5"


class Nursery:
    """A site in a folder of its own. Make it before Django is set up: it decides where the site lives."""

    def __init__(self, folder: Path, *, seed: int = 1) -> None:
        self.oracle = str(folder / "oracle.jsonl")
        self.kills = 0
        self.random = random.Random(seed)
        os.environ.update(
            DJANGO_SETTINGS_MODULE="project.settings",
            DAYBOOK_HOME=str(folder),
            DAYBOOK_ORACLE=self.oracle,
            DAYBOOK_TOOLS="tests.crash.instrument",
            DAYBOOK_LEASE_SECONDS=LEASE_SECONDS,
            LANGGRAPH_STRICT_MSGPACK="true",
        )
        import django

        django.setup()
        _warm_up()
        self.result_of(_migrate)

    def fork(self, work: Callable[[], Any]) -> int:
        """Run ``work`` in a child and return its id; the child leaves with 0, or 1 after a traceback."""
        child = os.fork()
        if child:
            return child
        code = 0
        try:
            work()
        except BaseException:
            traceback.print_exc()
            code = 1
        os._exit(code)

    def result_of(self, work: Callable[[], Any]) -> Any:
        """Return what ``work`` returns in a child, as JSON."""
        with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
            child = self.fork(lambda: Path(file.name).write_text(json.dumps(work())))
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, (
                "a child failed; see its traceback"
            )
            return json.loads(file.read())

    def add_runs(self, *policies: str) -> list[str]:
        """Create one run for each policy; return their ids."""
        ids: list[str] = self.result_of(lambda: _add_runs(policies))
        return ids

    def live(self, **given: Any) -> int:
        """Start a life and return its process id."""
        from tests.crash.life import live

        return self.fork(lambda: live(**given))

    def wait(self, child: int, *, seconds: float = 60.0) -> int:
        """Return how ``child`` ended: 0, or minus the signal that killed it. It is killed after ``seconds``."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.002)
        self.kill(child)
        raise TimeoutError(f"a life did not end within {seconds} s")

    def kill(self, child: int) -> None:
        """Kill ``child`` with SIGKILL and reap it."""
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.kills += 1

    def has_ended(self, child: int) -> bool:
        """Return True and reap ``child`` when it left by itself, every run having ended."""
        found, status = os.waitpid(child, os.WNOHANG)
        if not found:
            return False
        assert os.waitstatus_to_exitcode(status) == 0, "a life failed by itself; see its traceback"
        return True

    def verdict(self) -> dict[str, Any]:
        """Return what log and oracle say: see ``tests.crash.verdict``."""
        from tests.crash.verdict import verdict

        figures: dict[str, Any] = self.result_of(lambda: verdict(self.oracle))
        return {"kills": self.kills, **figures}


def _warm_up() -> None:
    """Import whatever a life needs, so that it starts to work at once."""
    import agents.assembly
    import agents.dispatch
    import agents.engine.driver
    import agents.memory
    import agents.tools.toolbox
    import agents.wiring
    import tests.crash.verdict  # noqa: F401

    agents.wiring.registry()
    agents.engine.driver.build_graph(None)


def _migrate() -> None:
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    from tests.crash.people import NAME

    call_command("migrate", verbosity=0)
    get_user_model().objects.create_superuser(NAME)


def _add_runs(policies: tuple[str, ...]) -> list[str]:
    from tests.support import make_run, make_study

    tools = ["stir", "dose", "fire", "ask_researcher"]
    studies = [make_study(experiment_tool="ask_researcher", tools=tools) for _ in policies]
    return [str(make_run(study, policy=policy).pk) for study, policy in zip(studies, policies, strict=True)]
