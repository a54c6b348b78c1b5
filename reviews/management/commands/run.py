"""``manage.py run STUDY``: start a run, drive it here and follow its log."""

import argparse
import json
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from agents.core.errors import DaybookError, Refused
from agents.core.policy import POLICIES
from agents.core.tools import Action
from agents.core.workflow import actions_of
from agents.management.lookup import CONFLICT, find_run
from agents.models import Event, Run, Study
from agents.queries import events_after
from agents.services import start_run
from agents.services.digests import digest_next
from agents.services.holds import told
from agents.store.lease import claim, process_name
from agents.worker import advance
from reviews.management.people import acting_user
from reviews.models import Role
from reviews.permissions import can

PATIENCE = 0.3


class Command(BaseCommand):
    """Starts a run (or goes on with one) and drives it until it waits for people or ends."""

    help = "Start a run of STUDY, or go on with a run given by --resume, and follow it."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("study", nargs="?", help="the study's slug (see `manage.py study list`)")
        parser.add_argument("--policy", choices=POLICIES, default="", help="replaces the study's own policy")
        parser.add_argument("--reasoner", choices=("optimiser", "language_model"), default="")
        parser.add_argument(
            "--memory",
            choices=("distilled", "full-history"),
            default="distilled",
            help="full-history sends documents and all rounds in full at every step; see `manage.py compare`",
        )
        parser.add_argument(
            "--milestones", type=int, metavar="N", help="review the whole memory every N rounds; 0 for never"
        )
        parser.add_argument("--experiments", type=int, help="budget: how many experiments at most")
        parser.add_argument("--rounds", type=int, help="budget: how many rounds at most")
        parser.add_argument("--tokens", type=int, help="budget: how many tokens at most")
        parser.add_argument(
            "--user", default="", help="start it as this account; the first administrator unless given"
        )
        parser.add_argument("--seed", type=int, help="seed of the optimiser; the run's number unless given")
        parser.add_argument(
            "--resume", metavar="RUN", help="a run to go on with: its id, a prefix of it, or STUDY#NUMBER"
        )
        parser.add_argument("--detach", action="store_true", help="only queue the run; workers drive it")
        parser.add_argument(
            "--json", action="store_true", help="print events as JSON Lines and a last result line"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        try:
            run = find_run(options["resume"]) if options["resume"] else self._start(options)
        except DaybookError as fault:
            raise CommandError(str(fault)) from None
        if not options["detach"] and not run.state.get("held"):
            self._drive(run, as_json=options["json"])
        run.refresh_from_db()
        self._result(run, as_json=options["json"])
        if run.status == "failed":
            raise CommandError(run.error)
        if run.state.get("held"):
            raise CommandError(f"{told(run.state)} `manage.py steer CHOICE {run.pk}`", returncode=CONFLICT)

    def _start(self, options: dict[str, Any]) -> Run:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none yet"
            raise CommandError(f"There is no study {options['study']!r}. Studies: {known}.")
        user = self._starter(study, options["user"])
        while digest_next(study_id=study.pk):
            pass
        limits = {
            name: options[name] for name in ("experiments", "rounds", "tokens") if options[name] is not None
        }
        if "experiments" in limits and "rounds" not in limits:
            # A limit of rounds below the experiments asked for would end the run early without a word.
            limits["rounds"] = max(limits["experiments"] * 2, (study.budget or {}).get("rounds") or 0)
        return start_run(
            study,
            by=user.get_username() if user else "command line",
            user=user,
            policy=options["policy"],
            reasoner=options["reasoner"],
            seed=options["seed"],
            budget=limits,
            memory=options["memory"].replace("-", "_"),
            milestones=options["milestones"],
        )

    def _starter(self, study: Study, name: str) -> User | None:
        """Return who starts the run, since four eyes need to know; None on a site that nobody can sign in to yet."""
        if not name and not User.objects.filter(is_active=True).exists():
            return None
        user = acting_user(name)
        if not can(user, study, Role.RESEARCHER):
            raise Refused(f"{user.get_username()} is no researcher of {study.slug}; add them on its page.")
        return user

    def _drive(self, run: Run, *, as_json: bool) -> None:
        stop = threading.Event()

        def ask_to_stop(number: int, frame: FrameType | None) -> None:
            stop.set()

        old = signal.signal(signal.SIGINT, ask_to_stop)
        worker = threading.Thread(target=_work, args=(run, stop), name="run", daemon=True)
        worker.start()
        seq = run.seq if run.status != "queued" else 0
        self.stderr.write(f"Starting: loading {run.reasoner.replace('_', ' ')} and tools …", _plainly)
        try:
            while worker.is_alive():
                seq = self._follow(run, seq, as_json=as_json)
                worker.join(PATIENCE)
                if stop.is_set():
                    self.stderr.write("Leaving; the run goes on from here with --resume or a worker.")
                    break
            self._follow(run, seq, as_json=as_json)
        finally:
            signal.signal(signal.SIGINT, old)

    def _follow(self, run: Run, seq: int, *, as_json: bool) -> int:
        """Print what came since: events for a script to stdout, progress for a person to stderr."""
        for event in events_after(run.pk, after=seq, limit=10_000):
            if as_json:
                self.stdout.write(json.dumps(event_line(event)))
            else:
                self.stderr.write(sentence(event), _plainly)
            seq = event.seq
        return seq

    def _result(self, run: Run, *, as_json: bool) -> None:
        best = run.state.get("best")
        if as_json:
            result = {
                "run": str(run.pk),
                "number": run.number,
                "status": run.status,
                "outcome": run.state.get("outcome", ""),
                "best": best,
                "spent": run.spent,
                "waiting_for": run.wait.get("title", ""),
            }
            self.stdout.write(json.dumps({"result": result}))
            return
        self.stdout.write(
            f"\nRun {run.number} ({run.pk}): {run.status}. {run.state.get('outcome', '')}".rstrip()
        )
        if best:
            self.stdout.write(
                f"Best {best['objective']}: {best['value']:g} {best['unit']} in round {best['round']}."
            )
        if run.status == "waiting":
            self.stdout.write(
                f"It waits for a review: {run.wait.get('title', '')}\nAnswer with `manage.py review list`."
            )


def _plainly(text: str) -> str:
    """Progress is no error: it is not shown in the colour of one."""
    return text


def _work(run: Run, stop: threading.Event) -> None:
    """Drive the run until it waits, ends, or another worker has it."""
    name = f"{process_name()}:command"
    try:
        while not stop.is_set():
            run.refresh_from_db(fields=["status"])
            if run.has_ended or run.status in ("waiting", "paused"):
                return
            lease = claim(worker=name, run_id=run.pk)
            if lease is None:
                stop.wait(PATIENCE)
                continue
            advance(lease)
    finally:
        connection.close()


def event_line(event: Event) -> dict[str, Any]:
    """Return an event as one line of a JSON Lines log."""
    return {
        "run": str(event.run_id),
        "seq": event.seq,
        "kind": event.kind,
        "round": event.round,
        "at": event.at.isoformat(),
        "payload": event.payload,
    }


def sentence(event: Event) -> str:
    """Return an event in a line for a terminal."""
    payload = event.payload
    say = _SENTENCES.get(event.kind)
    text = say(payload)[:160] if say else ""
    number = f"{event.round:>4}" if event.round is not None else "    "
    return f"{event.at:%H:%M:%S} {number}  {event.kind:<18} {text}".rstrip()


def _action(action: dict[str, Any]) -> str:
    parts = actions_of(Action.model_validate(action))
    return "; ".join(f"{p.tool} " + ", ".join(f"{k}={v}" for k, v in p.arguments.items()) for p in parts)


_SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "proposal.made": lambda p: f"{_action(p['proposal']['action'])}  —  {p['proposal']['reason']}",
    "proposal.refused": lambda p: "; ".join(p["problems"]),
    "gate.passed": lambda p: f"let through by {p.get('source') or 'policy ' + p['policy']}",
    "gate.refused": lambda p: f"refused by {p['source']}: {p['note']}",
    "policy.changed": lambda p: f"policy changed to {p['policy']} by {p['by']}",
    "approval.remembered": lambda p: f"{p['by']} need not be asked again for {p['tool']}",
    "approval.revoked": lambda p: f"{p['by']} revoked the remembered approval of {p['tool']}",
    "review.opened": lambda p: str(p["title"]),
    "review.decided": lambda p: f"{p['verdict']} by {p['by']}",
    "evidence.filed": lambda p: f"{p.get('value')} {p.get('unit', '')} ({p['stance']})",
    "finding.added": lambda p: str(p["finding"]["text"]),
    "finding.changed": lambda p: str(p["finding"]["text"]),
    "round.completed": lambda p: str(p["outcome"]),
    "effect.substituted": lambda p: str(p["told"]),
    "memory.trimmed": lambda p: str(p["reason"]),
    "run.held": lambda p: " ".join(p["sentences"]),
    "run.finished": lambda p: str(p["outcome"]),
    "run.failed": lambda p: str(p["error"]),
}
