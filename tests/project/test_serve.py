"""``manage.py serve`` as a person starts it: a fresh folder, a served page, a run that waits, a clean stop."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 90


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(home: Path, *arguments: str) -> tuple[list[str], dict[str, str]]:
    clean = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY")}
    return [sys.executable, "manage.py", *arguments], {
        **clean,
        "DAYBOOK_HOME": str(home),
        "HOST": "127.0.0.1",
    }


def wait_for(url: str, server: subprocess.Popen[str]) -> int:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE and server.poll() is None:
        try:
            return int(urllib.request.urlopen(url, timeout=2).status)
        except OSError:
            time.sleep(0.3)
    raise AssertionError(f"{url} did not answer: {server.stdout.read() if server.stdout else ''}")


@pytest.fixture
def site(tmp_path):
    port = free_port()
    arguments, environment = command(tmp_path, "serve", "--port", str(port))
    server = subprocess.Popen(
        arguments, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    wait_for(f"http://127.0.0.1:{port}/readyz", server)
    yield server, port, tmp_path
    server.kill()
    server.wait()


def test_a_fresh_site_serves_a_run_that_waits_and_stops_cleanly(site):
    server, port, home = site

    waiting = ""
    began = time.monotonic()
    while '"proposal"' not in waiting and time.monotonic() - began < PATIENCE:
        arguments, environment = command(home, "review", "list", "--json")
        waiting = subprocess.run(arguments, env=environment, cwd=ROOT, capture_output=True, text=True).stdout
    busy, environment = command(home / "other", "serve", "--port", str(port))
    second = subprocess.run(busy, env=environment, cwd=ROOT, capture_output=True, text=True)
    same, environment = command(home, "serve", "--port", str(free_port()))
    third = subprocess.run(same, env=environment, cwd=ROOT, capture_output=True, text=True)
    server.send_signal(signal.SIGTERM)
    said, _ = server.communicate(timeout=30)

    assert '"proposal"' in waiting
    assert f"Port {port} on 127.0.0.1 cannot be used" in second.stderr
    assert "serves" in third.stderr
    assert server.returncode == 0
    assert "Sign in as researcher with the password" in said
    assert "Nothing was lost" in said
