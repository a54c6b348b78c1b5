"""The whole site as ``manage.py serve`` beside the test: signed in, asked for pages, watched through sockets."""

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from django.contrib.auth import get_user_model
from django.test import Client

from agents.models import Study
from reviews.services import add_member
from tests.faults.processes import Process, environment, wait_until


class Site:
    """A served site with one signed-in member of ``studies``."""

    def __init__(
        self,
        start: Callable[..., Process],
        home: Path,
        *,
        studies: list[Study],
        workers: int = 2,
        **more: str,
    ) -> None:
        self.port = free_port()
        self._session = signed_in(studies)
        command = ("serve", "--no-samples", "--port", str(self.port), "--workers", str(workers))
        self.environment = environment(home, **more)
        self.process = start(*command, env=self.environment)
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", cookies={"sessionid": self._session}, timeout=30
        )
        wait_until(self._is_ready)

    @property
    def socket_headers(self) -> dict[str, str]:
        """What a browser sends when it opens a socket."""
        return {"Cookie": f"sessionid={self._session}", "Origin": f"http://127.0.0.1:{self.port}"}

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path)

    def seconds_for(self, path: str) -> float:
        """Return how long the site takes for a page."""
        began = time.monotonic()
        self.get(path).raise_for_status()
        return time.monotonic() - began

    def _is_ready(self) -> Any:
        assert self.process.is_alive, self.process.said
        try:
            return self.get("/readyz").status_code == 200
        except httpx.TransportError:
            return False


def signed_in(studies: list[Study]) -> str:
    """Return the session of a new member of ``studies``."""
    user = get_user_model().objects.create_user(f"ana-{time.monotonic_ns()}")
    for study in studies:
        add_member(study=study, user=user, role="owner")
    client = Client()
    client.force_login(user)
    return str(client.session.session_key)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
