"""``manage.py record``: what people decided, as the record has it; whether it was altered; and its anchor."""

import argparse
import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.core.errors import BadInput
from agents.management.lookup import find_run, plain_errors
from agents.models import Run
from reviews.doctor import record_place
from reviews.record.anchor import anchor_faults, make_anchor
from reviews.record.telling import entries_told
from reviews.record.verifying import read_record


class Command(BaseCommand):
    """Shows the record of a run, verifies records, and makes the anchor that is kept outside of the site."""

    help = (
        "Show the record of decisions, verify it, or write its anchor: a small file to keep somewhere else."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        show = verbs.add_parser("show", help="every entry of a run: who, role, when, from where, what, why")
        show.add_argument("run", help="a run: an id, a prefix of it, or STUDY#NUMBER")
        verify = verbs.add_parser("verify", help="recompute the chain and hold every row against it")
        verify.add_argument("run", nargs="?", default="", help="this run alone")
        verify.add_argument(
            "--anchor", default="", metavar="FILE", help="compare with an anchor of before, too"
        )
        anchor = verbs.add_parser("anchor", help="write how far every record is; keep the file elsewhere")
        anchor.add_argument("-o", "--output", default="", metavar="FILE", help="standard output unless given")
        for verb in (show, verify):
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            getattr(self, f"_{options['verb']}")(options)

    def _show(self, options: dict[str, Any]) -> None:
        rows = entries_told(find_run(options["run"]))
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        for row in rows:
            self.stdout.write(
                f"{row['entry']:>4}  {row['at'][:19]}  {row['kind']:<10} {row['gate']:<12} {row['verdict'] or '':<8} "
                f"{row['by']} ({row['role'] or '–'}) from {row['from'] or '–'}, by {row['policy'] or '–'}, at event {row['event']}"
            )
            for line in (*row["changes"], row["reason"], row["note"]):
                if line:
                    self.stdout.write(f"      {line}")
        if not rows:
            self.stdout.write("Nobody has decided anything in this run.")

    def _verify(self, options: dict[str, Any]) -> None:
        runs = Run.objects.select_related("study").order_by("created_at")
        if options["run"]:
            runs = runs.filter(pk=find_run(options["run"]).pk)
        entries, found = 0, []
        for run in runs.iterator(chunk_size=200):
            reading = read_record(run.pk)
            entries += reading.entries
            found += [{"where": record_place(run, fault), "what": fault.what} for fault in reading.faults]
        if options["anchor"]:
            found += [
                {"where": f"{name}, against the anchor", "what": fault.what}
                for name, fault in anchor_faults(_read(options["anchor"]))
            ]
        if options["json"]:
            self.stdout.write(
                json.dumps({"is_sound": not found, "entries": entries, "faults": found}, ensure_ascii=False)
            )
        else:
            for fault in found:
                self.stdout.write(f"FAIL  {fault['what']}  [{fault['where']}]")
        if found:
            raise CommandError(f"The record is broken in {len(found)} places.")
        if not options["json"]:
            self.stdout.write(f"Verified: {entries:,} entries, unaltered.")

    def _anchor(self, options: dict[str, Any]) -> None:
        text = json.dumps(make_anchor(), ensure_ascii=False, indent=1)
        if not options["output"]:
            self.stdout.write(text)
            return
        try:
            Path(options["output"]).write_text(text + "\n", encoding="utf-8")
        except OSError as fault:
            raise CommandError(f"{options['output']} cannot be written: {fault.strerror}.") from None
        self.stdout.write(f"Anchor written to {options['output']}. Keep it where this site cannot change it.")


def _read(name: str) -> Any:
    try:
        return json.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as fault:
        raise BadInput(f"{name} cannot be read: {fault.strerror}.") from None
    except ValueError:
        raise BadInput(
            f"{name} is no anchor: it holds no JSON. Make one with `manage.py record anchor`."
        ) from None
