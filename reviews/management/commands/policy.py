"""``manage.py policy``: show a study's rules, change them, and try them on past runs."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from agents.core.errors import BadInput, NotFound
from agents.core.policy import POLICIES, PolicyTable, preset
from agents.management.lookup import find_run, find_study, plain_errors
from agents.services import current_policy, table_from, would_ask
from agents.services.would_ask import WouldAsk
from reviews.forms.policy import TABLE_FIELDS
from reviews.management.people import acting_user
from reviews.models import Role
from reviews.permissions import require
from reviews.present.policy import THEN, deadline, rule_rows, why
from reviews.services import change_rules, give_run_policy, use_preset

RUNS_LISTED = 20


class Command(BaseCommand):
    """The policy from the command line."""

    help = "Show who is asked about what, change it, or see what it would have asked in past runs."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        show = verbs.add_parser("show", help="the rules in order, as sentences (or JSON for `set`)")
        change = verbs.add_parser("set", help="take a preset, or the rules of a JSON file")
        source = change.add_mutually_exclusive_group(required=True)
        source.add_argument("--preset", choices=POLICIES)
        source.add_argument(
            "--file",
            metavar="FILE",
            help="a list of rules as JSON, for the study, not with --run; - reads standard input",
        )
        source.add_argument(
            "--signed", choices=("yes", "no"), help="whether decisions are signed with the password"
        )
        change.add_argument(
            "--run",
            default="",
            metavar="RUN",
            help="change this run instead, from its next gate on; with --preset only",
        )
        tried = verbs.add_parser("would-ask", help="what it would have asked in past runs, with totals")
        tried.add_argument("--preset", choices=POLICIES, default="", help="instead of the study's policy")
        tried.add_argument("--file", metavar="FILE", default="", help="instead of the study's policy")
        tried.add_argument("--run", default="", metavar="RUN", help="only this run, round by round")
        for verb in (show, change, tried):
            verb.add_argument("study", help="its slug (see `manage.py study list`)")
            verb.add_argument(
                "--user", default="", help="act as this account; the first administrator unless given"
            )
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            study, user = find_study(options["study"]), acting_user(options["user"])
            require(user, study, Role.VIEWER)
            if options["verb"] == "show":
                self._print(current_policy(study), as_json=options["json"])
            elif options["verb"] == "set":
                self._set(study, user, options)
            else:
                self._would_ask(study, options)

    def _set(self, study: Any, user: Any, options: dict[str, Any]) -> None:
        if options["run"]:
            if not options["preset"]:
                raise BadInput(
                    "With --run only --preset is taken. To give a run these rules, store them in the study (without "
                    "--run), then choose the study's policy on the Policy tab of the run."
                )
            run = give_run_policy(_run(study, options["run"]), user=user, policy=options["preset"])
            self.stdout.write(f"Run {run.number} goes by {run.policy} from its next gate on.")
            return
        if options["signed"]:
            base, signed = current_policy(study).version, options["signed"] == "yes"
            table = change_rules(study, user=user, base=base, change=list, is_signed=signed)
        elif options["preset"]:
            table = use_preset(study, user=user, name=options["preset"])
        else:
            given = _read(options["file"])
            fields = given.model_dump(include=TABLE_FIELDS)
            base = current_policy(study).version
            table = change_rules(study, user=user, base=base, change=lambda _: list(given.rules), **fields)
        self._print(table, as_json=options["json"])

    def _print(self, table: PolicyTable, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(
                json.dumps(table.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
            )
            return
        self.stdout.write(f"Policy {table.label}")
        for row in rule_rows(table):
            more = f" ({'; '.join(row.more)})" if row.more else ""
            note = f"  # {row.rule.note}" if row.rule.note else ""
            self.stdout.write(f"{row.number}. {' and '.join(row.when)}: {row.then.label}{more}{note}")
        self.stdout.write("Anything else, and whatever cannot be told: one person decides")
        if table.is_signed:
            self.stdout.write("Decisions are signed with the password")
        if table.deadline_hours:
            self.stdout.write(deadline(table.deadline_hours, table.on_deadline))
        if table.second_for_findings:
            self.stdout.write("A change of a finding holds only when a second person has approved it")

    def _would_ask(self, study: Any, options: dict[str, Any]) -> None:
        table = current_policy(study)
        if options["preset"]:
            table = preset(options["preset"])
        elif options["file"]:
            table = _read(options["file"])
        if options["run"]:
            found = [would_ask(_run(study, options["run"]), table)]
        else:
            rows = study.runs.select_related("study").order_by("-number")[:RUNS_LISTED]
            found = [would_ask(run, table) for run in rows]
        if options["json"]:
            self.stdout.write(json.dumps([_data(row) for row in found], ensure_ascii=False))
            return
        self.stdout.write(f"Policy {table.label} on {len(found)} runs of {study.title}")
        for row in found:
            self._print_run(row, with_rounds=bool(options["run"]))

    def _print_run(self, row: WouldAsk, *, with_rounds: bool) -> None:
        if with_rounds:
            for gate in row.gates:
                then = THEN[gate.judgement.then].label
                was = f"; was answered: {gate.verdict}" if gate.verdict else ""
                self.stdout.write(f"  round {gate.round}: {then}. {why(gate.judgement)}{was}")
        missed = f", {len(row.missed)} let through that a person vetoed or edited" if row.missed else ""
        self.stdout.write(
            f"Run {row.run.number}: {len(row.gates)} gates, asked {row.was_asked}, would ask {row.asked}{missed}"
        )


def _run(study: Any, given: str) -> Any:
    run = find_run(f"{study.slug}#{given}" if given.isdecimal() else given)
    if run.study_id != study.pk:
        raise NotFound(f"Run {given} is not of the study {study.slug}.")
    return run


def _read(given: str) -> PolicyTable:
    path = Path(given)
    if given != "-" and not path.is_file():
        raise NotFound(f"There is no file {given!r}; nothing was changed.")
    text = sys.stdin.read() if given == "-" else path.read_text(encoding="utf-8")
    try:
        return table_from(_without_head(json.loads(text)))
    except ValueError as fault:
        raise BadInput(f"{given} is no JSON ({fault}); nothing was changed.") from None


def _without_head(given: Any) -> Any:
    """What `policy show --json` prints can be read back: name and version are given anew."""
    return (
        {k: v for k, v in given.items() if k not in ("name", "version")} if isinstance(given, dict) else given
    )


def _data(row: WouldAsk) -> dict[str, Any]:
    return {
        "run": row.run.number,
        "was_asked": row.was_asked,
        "would_ask": row.asked,
        "totals": row.totals,
        "rounds": [
            {
                "round": gate.round,
                "kind": gate.kind,
                "then": gate.judgement.then,
                "why": gate.judgement.why,
                "rule": gate.judgement.rule,
                "was": gate.verdict,
            }
            for gate in row.gates
        ],
    }
