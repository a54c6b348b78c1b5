"""A cacheable tool's result answers the same call again: after a restart, in another run, said on card and timeline."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.models import Effect, KeptResult, Run
from agents.services import start_run
from agents.store.results import results_of
from agents.testing import ModelServer
from agents.testing.proposing import proposes
from reviews.services import add_member
from tests.support import make_user
from tests.workflows.conftest import SUMMARY, call, finish, say

FIT = {"x": [0, 1, 2], "y": [1, 3, 5]}
ROOT = Path(__file__).resolve().parents[2]


def manage(*words: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_outlasts_the_process_that_made_it(tmp_path: Path) -> None:
    with ModelServer(proposes([{"tool": "fit_line", "arguments": FIT}])) as server:
        env = {
            **os.environ,
            "DAYBOOK_HOME": str(tmp_path),
            "OPENAI_BASE_URL": server.base_url,
            "DAYBOOK_MODEL": "scripted",
            "OPENAI_API_KEY": "",
            "DATABASE_URL": f"sqlite:///{tmp_path / 'daybook.sqlite3'}",
        }
        manage("migrate", "--verbosity", "0", env=env)
        manage(
            "study", "create", "--title", "Lines", "--goal", "Fit.", "--reasoner", "language_model", env=env
        )
        finished = [
            json.loads(line)
            for _ in range(2)
            for line in manage("run", "lines", "--policy", "auto", "--json", env=env).splitlines()
            if '"effect.finished"' in line and "/act/" in line
        ]
    assert [event["payload"]["result"]["cached"] for event in finished] == [False, True]
    assert finished[0]["payload"]["result"]["data"] == finished[1]["payload"]["result"]["data"]


@pytest.fixture
def waiting(lab: Any) -> Run:
    """A run that fitted the line, and a second run of its study that proposes the same."""
    fit = call("fit_line", **FIT)
    several = say(actions=[call("list_tools"), fit])
    first = lab.start([say(action=fit), finish("Done."), SUMMARY, several], policy="auto")
    again = start_run(first.study, by="ana", policy="every_step")
    return lab.drive(again)


def test_the_card_says_so_before_and_the_timeline_after(waiting: Run, lab: Any) -> None:
    user = make_user("rob")
    add_member(study=waiting.study, user=user, role="owner")
    browser = Client()
    browser.force_login(user)
    page = browser.get(f"/runs/{waiting.pk}/").content.decode()
    assert "Step 2 was called like this before" in page
    gate = waiting.gates.get(status="open")
    browser.post(f"/reviews/{gate.pk}/decide/", {"verdict": "approve", "digest": gate.digest})
    lab.drive(waiting)
    rows = Effect.objects.filter(run=waiting, key__contains="/act/")
    assert {row.key: results_of(rows)[row.pk]["cached"] for row in rows} == {
        "1/act/1/list_tools": False,
        "1/act/2/fit_line": True,
    }
    assert "from an earlier call" in browser.get(f"/runs/{waiting.pk}/timeline/").content.decode()


def test_another_version_of_the_tool_or_another_space_asks_anew(waiting: Run) -> None:
    from agents.core.study import StudyProtocol
    from agents.tools.cache import scope_of

    protocol = StudyProtocol.model_validate(waiting.protocol)
    same = protocol.model_copy(update={"seed": 9, "policy": "auto", "reasoner": "optimiser"})
    assert scope_of(same) == scope_of(protocol)
    assert scope_of(protocol.model_copy(update={"study_id": "other"})) != scope_of(protocol)
    assert KeptResult.objects.get().version == "1"
