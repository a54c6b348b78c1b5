"""``manage.py doctor``: look the site over."""

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import autodiscover_modules

from agents.doctor.registry import Level, Look, Remark, examine

MARKS = {Level.OK: "ok  ", Level.WARN: "warn", Level.FAIL: "FAIL"}


class Command(BaseCommand):
    """Runs every check of every application. Exit code 1 when something is not sound."""

    help = "Check the machine, the database, the logs, the files, the index, the model and the tools."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--repair", action="store_true", help="mend what can be mended safely")
        parser.add_argument(
            "--model", action="store_true", help="ask the language model a few short questions"
        )
        parser.add_argument(
            "--only", action="append", metavar="CHECK", help="this check alone; may be given again"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        autodiscover_modules("doctor")
        look = Look(repair=options["repair"], model=options["model"], progress=self._progress())
        remarks: list[Remark] = []
        try:
            for remark in examine(look, only=options["only"]):
                remarks.append(remark)
                if not options["json"]:
                    self._say(remark)
        except ValueError as fault:
            raise CommandError(f"{fault}.") from None
        look.progress("")
        if options["json"]:
            self.stdout.write(json.dumps(_summary(remarks), ensure_ascii=False))
        unsound = [remark for remark in remarks if not remark.is_sound]
        if unsound:
            raise CommandError(f"{len(unsound)} of {len(remarks)} remarks need you.")

    def _progress(self) -> Any:
        """Return what shows how far a long check is: on a terminal one line that is overwritten, else nothing."""
        if not sys.stderr.isatty():
            return lambda text: None
        return lambda text: self.stderr.write(f"\r\033[K{text[:100]}", ending="")

    def _say(self, remark: Remark) -> None:
        self._progress()("")
        where = f"  [{remark.where}]" if remark.where else ""
        self.stdout.write(f"{MARKS[remark.level]}  {remark.check:<10}  {remark.what}{where}")
        if remark.mended:
            self.stdout.write(f"{'':18}Repaired: {remark.mended}.")
        elif remark.todo and remark.level is not Level.OK:
            self.stdout.write(f"{'':18}{remark.todo}")


def _summary(remarks: list[Remark]) -> dict[str, Any]:
    counts = Counter(str(remark.level) for remark in remarks if not remark.mended)
    return {
        "is_sound": all(remark.is_sound for remark in remarks),
        "counts": {str(level): counts[level] for level in Level},
        "remarks": [asdict(remark) for remark in remarks],
    }
