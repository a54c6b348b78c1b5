"""``manage.py steer``: pause, resume, retry, stop, rewind a run, or choose how a held one goes on."""

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from agents.core.errors import NotFound
from agents.management.lookup import find_run, plain_errors
from agents.models import Run
from agents.queries import asked_model_at
from agents.services.holds import told
from reviews.management.people import acting_user
from reviews.permissions import runs_of
from reviews.present.words import PAUSES, label
from reviews.steering import steer

VERBS = {
    "pause": "set the run aside; a running one at its next step",
    "resume": "go on after a pause",
    "retry": "try a failed run again from its last checkpoint",
    "stop": "stop the run for good; its open reviews are cancelled",
    "rewind": "go on beside the run from one of its rounds on; no approval is inherited",
    "continue": "go on beside the run where it stands, also when it has ended; no approval is inherited",
    "finish": "held run: go on with this program, on the graph that the run began with",
    "fork": "held run: close it and go on beside it on this program's graph; no approval is inherited",
    "close": "held run: end it",
    "show": "say where the run stands and what it waits for",
}


class Command(BaseCommand):
    """Does one thing to a run, through the same service as the web."""

    help = "Steer a run: pause, resume, retry, stop, rewind; finish, fork or close one that is held."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        for name, text in VERBS.items():
            verb = verbs.add_parser(name, help=text)
            verb.add_argument("run", help="its id, the beginning of it, or STUDY#NUMBER")
            if name == "rewind":
                verb.add_argument(
                    "--round", type=int, help="where to go back to; the last round unless given"
                )
            verb.add_argument(
                "--user", default="", help="act as this account; the first administrator unless given"
            )
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            user, found = acting_user(options["user"]), find_run(options["run"])
            run = runs_of(user).filter(pk=found.pk).first()
            if run is None:
                raise NotFound(f"There is no run {options['run']!r} for {user.get_username()}.")
            after = run
            if options["verb"] != "show":
                after = steer(run, options["verb"], user=user, round=options.get("round"))
            after.refresh_from_db()
            self.stdout.write(json.dumps(_data(after)) if options["json"] else _text(after))


def _data(run: Run) -> dict[str, Any]:
    return {
        "run": str(run.pk),
        "study": run.study.slug,
        "number": run.number,
        "status": run.status,
        "wish": run.wish,
        "round": run.round,
        "held": run.state.get("held"),
        "parent": str(run.parent_id) if run.parent_id else None,
        "error": run.error,
    }


def _text(run: Run) -> str:
    wish = f", asked to {run.wish}" if run.wish else ""
    lines = [f"{run.study.slug}#{run.number} ({run.pk}): {run.status}{wish}, round {run.round}."]
    waits = told(run.state) or (run.wait.get("title", "") if run.status == "waiting" else run.error)
    if waits:
        lines.append(waits)
    asked = asked_model_at(run)
    if asked:
        gone = int((timezone.now() - asked).total_seconds())
        lines.append(f"It waits for the model, for {gone} s so far; `steer stop` ends that within seconds.")
    if run.status == "paused" and run.wait.get("why"):
        lines.append(str(label(PAUSES, run.wait["why"])))
    if run.status == "queued":
        lines.append(f"It goes on as soon as a worker takes it, or here: `manage.py run --resume {run.pk}`.")
    return "\n".join(lines)
