"""``manage.py compare RUN RUN``: two or more runs side by side, tokens and outcome."""

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand

from agents.management.lookup import find_run, plain_errors
from agents.sent import compared


class Command(BaseCommand):
    """Prints one line a figure and one column a run."""

    help = (
        "Compare runs: how they remember, the tokens they cost, what came of them. Runs of one study share its "
        "ledger and measure nothing twice: for a fair pair, start each in a copy of the study."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("run", nargs="+", help="runs: an id, a prefix of it, or STUDY#NUMBER")
        parser.add_argument("--json", action="store_true", help="print a list of objects instead")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        with plain_errors():
            rows = compared([find_run(name) for name in options["run"]])
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        width = max(len(name) for name in rows[0])
        for name in rows[0]:
            cells = " ".join(f"{_told(row[name]):>16}" for row in rows)
            self.stdout.write(f"{name:<{width}} {cells}")


def _told(value: Any) -> str:
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
