"""``manage.py reindex``: make what can be made from the logs anew."""

import argparse
import json
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.core.errors import Damaged
from agents.doctor.logs import UNREADABLE, place_of
from agents.memory import forget_index, index_progress
from agents.models import Run
from agents.store.rebuild import rebuild

PATIENCE_S, POLL_S = 30.0, 0.5
EVERY = 20
"""Runs between two lines of progress."""


class Command(BaseCommand):
    """Rebuilds rows from logs and queues findings to be put into the index again."""

    help = "Rebuild runs, experiments and findings from the logs, and the index of findings; both unless one is named."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--projections", action="store_true", help="the rows of runs, experiments and findings"
        )
        parser.add_argument("--findings", action="store_true", help="the index that findings are searched in")
        parser.add_argument(
            "--wait",
            action="store_true",
            help="show how far the server has come with the findings, until it is done",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        both = not (options["projections"] or options["findings"])
        done: dict[str, Any] = {}
        if both or options["projections"]:
            done |= self._projections()
        if both or options["findings"]:
            done["findings_to_index"] = forget_index()
        if options["wait"]:
            done["findings_indexed"] = self._wait()
        self.stdout.write(json.dumps(done, ensure_ascii=False) if options["json"] else _told(done))
        if done.get("damaged"):
            raise CommandError("The logs of some runs are damaged; `manage.py doctor` says where.")

    def _wait(self) -> int:
        """Print progress until every finding is in the index; return how many are. Raises ``CommandError`` when
        nothing has moved for ``PATIENCE_S``."""
        seen, since = -1, time.monotonic()
        while True:
            indexed, total = index_progress()
            if indexed != seen:
                self.stderr.write(f"{indexed} of {total} findings")
                seen, since = indexed, time.monotonic()
            if indexed == total:
                return indexed
            if time.monotonic() - since > PATIENCE_S:
                raise CommandError(
                    f"Nothing was put into the index for {PATIENCE_S:.0f} s; {total - indexed} findings wait. The index "
                    "is kept by the running site: start it with `manage.py serve`, or see `manage.py doctor`."
                )
            time.sleep(POLL_S)

    def _projections(self) -> dict[str, Any]:
        runs = list(Run.objects.select_related("study").order_by("created_at"))
        changed: list[dict[str, str]] = []
        damaged: list[str] = []
        for number, run in enumerate(runs, start=1):
            try:
                found = rebuild(run.pk)
            except (Damaged, *UNREADABLE) as fault:
                damaged.append(f"{place_of(run)}: {fault}")
                continue
            changed += [{"run": place_of(run), "what": each.what} for each in found]
            if number % EVERY == 0 or number == len(runs):
                self.stderr.write(f"{number} of {len(runs)} runs")
        return {"runs": len(runs), "differences": changed, "damaged": damaged}


def _told(done: dict[str, Any]) -> str:
    lines = []
    if "runs" in done:
        lines = [f"{each['run']}: {each['what']}" for each in done["differences"]]
        lines += [f"left alone, damaged: {each}" for each in done["damaged"]]
        lines.append(
            f"{done['runs']:,} runs rebuilt from their logs, {len(done['differences']):,} differences."
        )
    if "findings_to_index" in done:
        lines.append(
            f"{done['findings_to_index']:,} findings are marked; a running server puts them into the index."
        )
    if "findings_indexed" in done:
        lines.append(f"{done['findings_indexed']:,} findings are in the index.")
    return "\n".join(lines)
