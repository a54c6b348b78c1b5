"""A disk that is really full: the site on a small file system of its own, filled to the last byte under a run."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.testing import ModelServer
from tests.faults.disk import fill, small_disk
from tests.faults.instrument import presses
from tests.faults.processes import ROOT, environment, wait_until
from tests.faults.rows import presser
from tests.faults.serving import free_port

ROUNDS = 12


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", megabytes=48) as folder:
        yield folder


BEGIN = """
from tests.faults.rows import press_run
from tests.faults.serving import signed_in
run = press_run()
print(run.pk, signed_in([run.study]))
"""

END = """
from agents.models import Run
from tests.faults.disk import fill, small_disk
from tests.faults.instrument import presses
from tests.faults.rows import wrongs_of
run = Run.objects.get()
doses = [int(line["dose"]) for line in presses(Path(os.environ["DAYBOOK_ORACLE"]))]
print(json.dumps([run.status, len(doses), wrongs_of(run, doses)]))
"""


class Household:
    """A site of its own whose every file is on ``disk``; the instrument's file is not."""

    def __init__(self, disk: Path, oracle: Path, base_url: str) -> None:
        self.environment = environment(
            disk,
            base_url=base_url,
            DATABASE_URL=f"sqlite:///{disk}/daybook.sqlite3",
            DAYBOOK_ORACLE=str(oracle),
            DAYBOOK_PRESS_SECONDS="0.4",
            DJANGO_SETTINGS_MODULE="project.settings",
        )

    def say(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def ask(self, script: str) -> str:
        return self.say("-c", f"import json, os, django\nfrom pathlib import Path\ndjango.setup()\n{script}")


def test_a_full_disk_is_told_on_every_page_and_the_run_goes_on_with_space(disk, tmp_path, process):
    oracle = tmp_path / "oracle.jsonl"
    with ModelServer(presser(ROUNDS)) as server:
        site = Household(disk, oracle, server.base_url)
        site.say("manage.py", "migrate", "--verbosity", "0")
        run, session = site.ask(BEGIN).split()
        port = free_port()
        serving = process("serve", "--no-samples", "--port", str(port), env=site.environment)
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", cookies={"sessionid": session}, timeout=30
        ) as browser:
            for pause in (1, 2):
                wait_until(lambda wanted=pause * 3: len(presses(oracle)) >= wanted)
                ballast = fill(disk)
                wait_until(lambda: "The disk is full." in browser.get("/inbox/").text)
                begun = len(presses(oracle))
                time.sleep(2)
                assert len(presses(oracle)) == begun
                for path in (f"/runs/{run}/", "/runs/", "/findings/"):
                    answer = browser.get(path)
                    assert answer.status_code == 200, path
                    assert "no tool is started." in answer.text
                refused = browser.post(f"/runs/{run}/do/pause/", **signed(browser, f"/runs/{run}/"))
                assert refused.status_code == 503
                assert "What you sent was not stored." in refused.text
                ballast.unlink()
                wait_until(lambda: "The disk is full." not in browser.get("/inbox/").text)
            wait_until(lambda: site.ask(END).startswith('["succeeded"'), every=1.0)
            assert json.loads(site.ask(END)) == ["succeeded", ROUNDS, []]
    assert f"The disk of {disk} is full." in serving.said
    assert "The database can be written again; runs go on." in serving.said


def signed(browser: httpx.Client, page: str) -> dict[str, Any]:
    """Return what a form of ``page`` is sent with."""
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(page).text)
    assert token is not None
    return {"data": {"csrfmiddlewaretoken": token[1]}}
