"""``manage.py bench``: a person as the instrument, from a terminal."""

import argparse
import json
import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from agents.core.errors import BadInput
from agents.management.lookup import by_prefix, find_run, plain_errors
from agents.models import Gate
from agents.services import prepare_answer
from reviews.bench.files import LIMIT, attach
from reviews.bench.importing import import_filled
from reviews.bench.prefill import result_in
from reviews.bench.sheet import LAYOUTS, MOST_SHEETS, sheet_page, sheets_of
from reviews.bench.table import write_template
from reviews.bench.tasks import set_task, waiting_tasks
from reviews.forms.numbers import as_moment
from reviews.management.bench_text import outcome_data, outcome_lines, task_data, task_line
from reviews.management.commands.review import CHANNEL, hinting_confirmation, visible
from reviews.management.people import acting_user
from reviews.models import Review
from reviews.services import decide


class Command(BaseCommand):
    """Lists what waits at the bench, assigns, answers, prints sheets, and files a whole filled table."""

    help = "List bench tasks, assign one, answer one from a JSON or CSV file, print sheets, import a filled table."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        made = {
            "list": verbs.add_parser("list", help="what waits, due first"),
            "assign": verbs.add_parser("assign", help="say who measures, by when and how"),
            "answer": verbs.add_parser("answer", help="enter the result of one task from a file"),
            "sheet": verbs.add_parser("sheet", help="write bench sheets as one HTML file to print"),
            "table": verbs.add_parser("table", help="write the table to fill in (CSV)"),
            "import": verbs.add_parser("import", help="file a filled table"),
        }
        for name in ("list", "sheet", "table"):
            made[name].add_argument("--study", default="", help="only of the study with this slug")
            made[name].add_argument("--run", default="", help="only of this run: an id, or STUDY#NUMBER")
            made[name].add_argument("--mine", action="store_true", help="only what is assigned to me")
        for name in ("assign", "answer"):
            made[name].add_argument("task", help="its id, or the beginning of it")
        made["assign"].add_argument("--to", default="", metavar="NAME", help="a member; nobody unless given")
        made["assign"].add_argument("--due", default="", metavar="WHEN", help="like '2026-11-30 14:05'")
        made["assign"].add_argument("--instructions", default="")
        made["assign"].add_argument("--standing", action="store_true", help="also for later tasks of the run")
        made["answer"].add_argument(
            "file", help="a .json with the result, or a .csv with columns of readings"
        )
        made["answer"].add_argument("--attach", action="append", default=[], metavar="FILE")
        made["answer"].add_argument("--note", default="", help="goes with the decision")
        made["answer"].add_argument(
            "--really-so",
            action="store_true",
            help="what was really done lies outside the limits, and was so",
        )
        made["sheet"].add_argument("--layout", choices=LAYOUTS, default="each")
        made["sheet"].add_argument("--url", default=_address(), help="where the site is, for the QR codes")
        for name, default in (("sheet", "bench-sheets.html"), ("table", "bench.csv")):
            made[name].add_argument("-o", "--output", default=default, metavar="FILE")
        made["import"].add_argument("file", help="the filled table (CSV)")
        made["import"].add_argument("--dry-run", action="store_true", help="check it and file nothing")
        for verb in made.values():
            verb.add_argument(
                "--user", default="", help="act as this account; the first administrator unless given"
            )
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        verbs = {
            "list": self._list,
            "assign": self._assign,
            "answer": self._answer,
            "sheet": self._sheet,
            "table": self._table,
            "import": self._import,
        }
        with plain_errors():
            verbs[options["verb"]](options)

    def _list(self, options: dict[str, Any]) -> None:
        rows = _tasks(options)[:MOST_SHEETS]
        self._say(
            options, [task_data(row) for row in rows], [task_line(row) for row in rows] or ["Nothing waits."]
        )

    def _assign(self, options: dict[str, Any]) -> None:
        review, due = _find(options), None
        if options["due"]:
            due = as_moment(options["due"])
            if due is None:
                raise BadInput(f"--due {options['due']!r}: write a date and time like '2026-11-30 14:05'.")
        set_task(
            gate=review.gate,
            user=acting_user(options["user"]),
            instructions=options["instructions"],
            due_at=due,
            assignee=options["to"],
            is_standing=options["standing"],
        )
        review = _find(options)
        self._say(options, task_data(review), [task_line(review)])

    def _answer(self, options: dict[str, Any]) -> None:
        review, user = _find(options), acting_user(options["user"])
        gate, path = review.gate, Path(options["file"])
        result = _result(path, gate)
        # Before any file is kept, so that a result that cannot be leaves nothing behind.
        is_confirmed = options["really_so"]
        with hinting_confirmation():
            prepare_answer(
                gate, verdict="answer", by=user.get_username(), result=result, is_confirmed=is_confirmed
            )
        attachments = [*options["attach"], *([str(path)] if path.suffix.lower() != ".json" else [])]
        for name in attachments:
            with _opened(Path(name)) as file:
                attach(gate=gate, by=user.get_username(), file=file, name=Path(name).name)
        decision = decide(
            gate=gate,
            user=user,
            verdict="answer",
            shown_digest=gate.digest,
            channel=CHANNEL,
            note=options["note"],
            result=result,
            is_confirmed=is_confirmed,
        )
        told = {"review": str(review.pk), "by": decision.by, "result": decision.answer["result"]}
        self._say(options, told, [f"{review.title}\nfiled by {decision.by}."])

    def _sheet(self, options: dict[str, Any]) -> None:
        base = options["url"].rstrip("/")
        rows = _tasks(options)
        sheets = sheets_of(rows[:MOST_SHEETS], link=lambda gate: base + reverse("review", args=[gate.pk]))
        page = sheet_page(sheets, layout=options["layout"], waiting=(count := rows.count()))
        self._write(options, page, f"{len(sheets)} sheets of {count} tasks")

    def _table(self, options: dict[str, Any]) -> None:
        rows = list(_tasks(options))
        self._write(options, write_template(rows), f"{len(rows)} tasks")

    def _import(self, options: dict[str, Any]) -> None:
        path = Path(options["file"])
        with _opened(path) as file:
            content = file.read(LIMIT + 1)
        if len(content) > LIMIT:
            raise BadInput(f"{path.name} is larger than {LIMIT >> 20} MB; a filled table is far smaller.")
        user = acting_user(options["user"])
        outcomes = import_filled(content, name=path.name, user=user, dry=options["dry_run"])
        self._say(options, [outcome_data(each) for each in outcomes], outcome_lines(outcomes))

    def _say(self, options: dict[str, Any], data: Any, lines: list[str]) -> None:
        text = json.dumps(data, ensure_ascii=False) if options["json"] else visible("\n".join(lines))
        self.stdout.write(text)

    def _write(self, options: dict[str, Any], text: str, what: str) -> None:
        path = Path(options["output"])
        try:
            path.write_text(text, encoding="utf-8", newline="")
        except OSError as fault:
            raise CommandError(
                f"{path} cannot be written: {fault.strerror}. Choose another with -o."
            ) from None
        self._say(options, {"file": str(path), "what": what}, [f"Wrote {path} ({what})."])


def _address() -> str:
    return f"http://{os.environ.get('HOST') or '127.0.0.1'}:{os.environ.get('PORT') or 8000}"


def _tasks(options: dict[str, Any]) -> Any:
    run = find_run(options["run"]).pk if options["run"] else None
    user = acting_user(options["user"])
    return waiting_tasks(user, study_slug=options["study"], run_id=run, mine=options["mine"])


def _find(options: dict[str, Any]) -> Review:
    """Return the task that waits for the acting person."""
    rows = waiting_tasks(acting_user(options["user"]))
    hint = "`manage.py bench list` lists what waits."
    return by_prefix(rows, options["task"], what="bench task", hint=hint, field="gate__id")


def _result(path: Path, gate: Gate) -> dict[str, Any]:
    if path.suffix.lower() != ".json":
        from agents.adapters.tables import read_table

        with _opened(path):
            return result_in(read_table(path), gate)
    with _opened(path) as file:
        try:
            found = json.loads(file.read())
        except ValueError as fault:
            raise BadInput(f"{path.name} is not JSON: {fault}.") from None
    if not isinstance(found, dict):
        raise BadInput(
            f"{path.name} holds a {type(found).__name__}; an object with named values is expected."
        )
    return found


def _opened(path: Path) -> Any:
    try:
        return path.open("rb")
    except OSError as fault:
        raise BadInput(f"{path} cannot be read: {fault.strerror}.") from None
