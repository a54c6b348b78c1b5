"""``manage.py serve``: the whole site from one command, pages, sockets, workers and memory."""

import argparse
import asyncio
import fcntl
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TextIO

import uvicorn
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from project.env import cannot_write

GRACE_SECONDS = 5
DRAIN_SECONDS = 8


class Command(BaseCommand):
    """Serves Daybook until it is told to stop; stops cleanly with nothing lost."""

    help = "Serve pages, websockets, workers and the memory store from one process. Stop with Ctrl-C."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--host", default=os.environ.get("HOST") or "127.0.0.1")
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000))
        parser.add_argument(
            "--workers", type=int, default=settings.DAYBOOK_WORKERS, help="worker threads; 0 for none"
        )
        parser.add_argument(
            "--no-samples", action="store_true", help="do not load the sample studies on a fresh site"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        host, port = options["host"], options["port"]
        require_free_port(host, port)
        with only_one_server(Path(settings.DAYBOOK_HOME)):
            self._prepare(with_samples=not options["no_samples"])
            Site(host, port, workers=options["workers"], say=self.stdout).run()
        self.stdout.write("Stopped. Nothing was lost; `make run` goes on from here.")

    def _prepare(self, *, with_samples: bool) -> None:
        from reviews.first_look import prepare

        call_command("migrate", verbosity=0, interactive=False)
        prepare(lambda text: self.stdout.write(text), with_samples=with_samples)
        connection.close()


def require_free_port(host: str, port: int) -> None:
    """Raise ``CommandError`` naming the port when something listens there already."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as fault:
            raise CommandError(
                f"Port {port} on {host} cannot be used ({fault.strerror}): another program listens there, perhaps "
                f"another Daybook. Choose another one, for example `PORT={port + 1} make run`."
            ) from None


@contextmanager
def only_one_server(home: Path) -> Iterator[None]:
    """Hold the lock of the home folder; raise ``CommandError`` when another server holds it."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        file: TextIO = (home / "serve.lock").open("a+", encoding="ascii")
    except OSError as fault:
        raise CommandError(cannot_write(fault)) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        raise CommandError(
            f"Another Daybook (process {file.read().strip() or 'unknown'}) serves {home} already. Stop it first, or "
            "give this one its own folder with DAYBOOK_HOME."
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    try:
        yield
    finally:
        file.close()


class Site(uvicorn.Server):
    """The web server with the workers beside it: they load the engine once the site answers."""

    def __init__(self, host: str, port: int, *, workers: int, say: Any) -> None:
        super().__init__(
            uvicorn.Config(
                "project.asgi:application",
                host=host,
                port=port,
                lifespan="off",
                log_level="warning",
                ws="websockets-sansio",
                timeout_graceful_shutdown=GRACE_SECONDS,
                server_header=False,
            )
        )
        self._workers = workers
        self._say = say
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM without handing the signal on: workers are drained after the pages."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle_exit)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the port, then start everything that may take its time."""
        from reviews.doorbell import attend

        await super().startup(sockets)
        if not self.started:
            return
        attend(asyncio.get_running_loop())
        self._announce()
        self._begin("memory", _keep_memory)
        for number in range(self._workers):
            self._begin(f"worker-{number + 1}", _work)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the pages first; nothing more is rendered for them."""
        from reviews.consumers import stop_looking

        stop_looking()
        await super().shutdown(sockets)

    def _begin(self, name: str, target: Any) -> None:
        thread = threading.Thread(target=target, args=(self._stop,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _announce(self) -> None:
        from reviews.first_look import sign_in_hint

        shown = "127.0.0.1" if self.config.host in ("0.0.0.0", "::") else self.config.host  # noqa: S104
        hint: list[str] = []
        asking = threading.Thread(target=lambda: hint.append(_closing(sign_in_hint)))
        asking.start()
        asking.join()
        self._say.write(f"\nDaybook is at http://{shown}:{self.config.port}/\n{hint[0]}\nStop with Ctrl-C.\n")
        self._say.flush()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until told to stop, then let the workers put down what they hold."""
        super().run(sockets)
        from agents.worker import drain, wait_for

        self._stop.set()
        drain()
        wait_for(self._threads, seconds=DRAIN_SECONDS)
        if not self.started:
            sys.exit(1)


def _closing(read: Any) -> Any:
    try:
        return read()
    finally:
        connection.close()


def _work(stop: threading.Event) -> None:
    from agents.worker import work_forever

    work_forever(stop=stop)


def _keep_memory(stop: threading.Event) -> None:
    from agents.memory_keeper import keep_memory

    keep_memory(stop)
