"""A site as a person starts it, and a real browser. Nothing leaves this machine."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PASSWORD = "notebook-in-a-test"
PATIENCE = 120
OPEN: list[Any] = []
"""The pages that tests have signed in, to be read when one fails."""
ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Site:
    """A served site: its address, its folder, and the process that serves it."""

    url: str
    home: Path
    process: subprocess.Popen[bytes]

    def manage(self, *arguments: str) -> str:
        """Run a management command on the site and return what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env=environment(self.home),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a fresh site without keys or services."""
    foreign = ("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL")
    kept = {name: value for name, value in os.environ.items() if name not in foreign}
    return {**kept, "DAYBOOK_HOME": str(home), "DAYBOOK_FIRST_PASSWORD": PASSWORD, "HOST": "127.0.0.1"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        return bool(urllib.request.urlopen(url, timeout=2).status == 200)
    except OSError:
        return False


def serve(home: Path, *, port: int = 0, **variables: str) -> Site:
    """Start the site of ``home`` (at ``port``, or any free one) and return it once it answers.

    ``variables`` are added to its environment.
    """
    port = port or _free_port()
    log = (home / "serve.log").open("ab")
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port)],
        env={**environment(home), **variables},
        cwd=ROOT,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    site = Site(f"http://127.0.0.1:{port}", home, process)
    end = time.monotonic() + PATIENCE
    while not _answers(f"{site.url}/readyz"):
        assert process.poll() is None, (home / "serve.log").read_text()
        assert time.monotonic() < end, (home / "serve.log").read_text()
        time.sleep(0.3)
    return site


def end(site: Site) -> None:
    """Stop the site as ``Ctrl-C`` does."""
    site.process.send_signal(signal.SIGTERM)
    try:
        site.process.wait(30)
    except subprocess.TimeoutExpired:
        site.process.kill()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A fresh site with the sample studies, one a file: what a test vetoes or signs reaches no other file."""
    served = serve(tmp_path_factory.mktemp("site"))
    yield served
    end(served)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser, when this machine has one."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=list(ARGS))
        yield opened
        opened.close()


def start_run(page: Any, *, study: str = "Direct arylation") -> str:
    """Start a run of the sample study and return its address, once its first review is open."""
    page.goto("/studies/")
    page.click(f".row-link:has(.row-title:has-text('{study}'))")
    page.click("button:has-text('Start a run')")
    page.wait_for_selector("[data-review]:not(.is-closed)", timeout=60_000)
    page.wait_for_selector("#connection[data-state=live]")
    return str(page.url)


def sign_in(browser: Any, site: Site, *, name: str = "researcher", **options: Any) -> Any:
    """Return a page signed in as ``name``. Faults of scripts and of the policy for them fail the test."""
    context = browser.new_context(
        base_url=site.url, **{"viewport": {"width": 1440, "height": 900}, **options}
    )
    page = context.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on(
        "console",
        lambda line: page.faults.append(line.text) if "Content Security Policy" in line.text else None,
    )
    page.goto("/sign-in/")
    page.fill("[name=username]", name)
    page.fill("[name=password]", PASSWORD)
    page.click("main .btn-primary")
    page.wait_for_url("**/inbox/**")
    OPEN.append(page)
    return page


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Add to a failure what its pages show, since a browser in CI cannot be looked at afterwards."""
    report = yield
    if report.failed:
        for page in OPEN[-4:]:
            if not page.is_closed():
                report.sections.append((f"page {page.url}", page.inner_text("body")[:4000]))
    return report
