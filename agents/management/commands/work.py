"""``manage.py work``: worker threads without pages, on this or another machine."""

import argparse
import signal
import threading
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from agents.worker import drain, wait_for, work_forever

DRAIN_SECONDS = 10


class Command(BaseCommand):
    """Works until it is told to stop."""

    help = "Drive queued runs and read waiting documents until stopped. Any number of these may run at once."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--threads", type=int, default=settings.DAYBOOK_WORKERS)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        stop = threading.Event()

        def ask_to_stop(number: int, frame: FrameType | None) -> None:
            stop.set()
            drain()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, ask_to_stop)
        threads = [
            threading.Thread(target=work_forever, kwargs={"stop": stop}, name=f"worker-{n + 1}", daemon=True)
            for n in range(max(1, options["threads"]))
        ]
        for thread in threads:
            thread.start()
        self.stdout.write(f"{len(threads)} workers are ready. Stop with Ctrl-C.")
        self.stdout.flush()
        stop.wait()
        wait_for(threads, seconds=DRAIN_SECONDS)
