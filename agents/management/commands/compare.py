"""``manage.py compare RUN RUN``: two or more runs side by side: tokens, decisions, hypothesis, findings, outcome."""

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand

from agents.core.errors import BadInput
from agents.management.lookup import find_run, plain_errors
from agents.models import Run
from agents.sent import compared
from agents.siblings import MOST, last_round, rounds_of, sides_of


class Command(BaseCommand):
    """Prints one line a figure and one column a run."""

    help = (
        "Compare runs: how they remember, the tokens they cost, what came of them. Runs of one study share its "
        "ledger and measure nothing twice: for a fair pair, start each in a copy of the study."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("run", nargs="+", help="runs: an id, a prefix of it, or STUDY#NUMBER")
        parser.add_argument(
            "--full",
            action="store_true",
            help="hypothesis, decisions, findings and rounds, too (4 runs at most)",
        )
        parser.add_argument("--json", action="store_true", help="print a list of objects instead")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        with plain_errors():
            runs = [find_run(name) for name in options["run"]]
            if options["full"]:
                self._full(runs, as_json=options["json"])
                return
            rows = compared(runs)
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        width = max(len(name) for name in rows[0])
        for name in rows[0]:
            cells = " ".join(f"{_told(row[name]):>16}" for row in rows)
            self.stdout.write(f"{name:<{width}} {cells}")

    def _full(self, runs: list[Run], *, as_json: bool) -> None:
        if len(runs) > MOST:
            raise BadInput(f"{len(runs)} runs were named; at most {MOST} stand side by side.")
        sides, last = sides_of(runs), last_round(runs)
        rounds = rounds_of(runs, first=1, last=last)
        if as_json:
            told = [side.model_dump(mode="json") for side in sides]
            for row, run in zip(told, runs, strict=True):
                row["rounds"] = {n: by[run.pk].model_dump() for n, by in rounds.items() if run.pk in by}
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        for side, run in zip(sides, runs, strict=True):
            mark = ", the better one" if side.is_better else ""
            fork = f", forked from #{side.parent}" if side.parent else ""
            self.stdout.write(f"#{side.number} {side.status}{fork}{mark}")
            self.stdout.write(f"  best        {_told(side.best)} {side.unit}".rstrip())
            self.stdout.write(f"  hypothesis  {side.hypothesis or '–'}")
            self.stdout.write(
                f"  decisions   {', '.join(f'{k} {n}' for k, n in side.verdicts.items()) or '–'}"
            )
            cost = f"{side.tokens} tokens, {side.figures['money']:.4g} money"
            self.stdout.write(f"  cost        {side.figures['experiments']} experiments, {cost}")
            for claim in side.findings:
                self.stdout.write(
                    f"  {claim.name:<10}  {claim.text}{'' if claim.is_shared else '  (only here)'}"
                )
            for number, by in rounds.items():
                if run.pk in by:
                    each = by[run.pk]
                    self.stdout.write(
                        f"  round {number:<5} {each.title}  {each.verdict}  {each.measured}".rstrip()
                    )


def _told(value: Any) -> str:
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
