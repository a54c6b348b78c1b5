"""``manage.py findings``: the findings library in a terminal, with the same roles and services as the pages."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.db.models import Q, QuerySet

from agents.core.errors import BadInput, NotFound
from agents.library import history_of, near_duplicates, runs_using
from agents.management.lookup import by_prefix, find_study, plain_errors
from agents.memory import search_findings
from agents.models import Finding, Study
from agents.queries import findings_of
from agents.services import export_findings, waiting_change
from reviews.library import change, decide_change, distil, take_in
from reviews.management.findings_text import finding_data, finding_lines, row_line
from reviews.management.people import acting_user
from reviews.permissions import studies_of

HINT = "`manage.py findings search` lists them with their ids."
STATUSES = (*Finding.Status.values, "waiting", "all")
"""``waiting``: those with a change that a second person has to approve."""


class Command(BaseCommand):
    """Findings from the command line."""

    help = "Search, show, edit, accept, retract, supersede, merge, distil, export and import findings."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        search = verbs.add_parser("search", help="by meaning; without words, the newest")
        search.add_argument("words", nargs="*")
        search.add_argument("--limit", type=int, default=20)
        export = verbs.add_parser("export", help="write findings as JSON that another Daybook takes in")
        export.add_argument("--to", default="-", metavar="FILE", help="standard output unless given")
        for verb, default in ((search, "active"), (export, "all")):
            verb.add_argument("--study", default="", help="slug; all studies unless given")
            verb.add_argument("--status", choices=STATUSES, default=default)
            verb.add_argument("--kind", choices=Finding.Kind.values, default="")
            verb.add_argument("--domain", default="")
            verb.add_argument("--sure", type=float, default=0.0, help="confidence from 0 to 1, at least")
        taking = verbs.add_parser("import", help="take in a file; its findings wait until they are accepted")
        taking.add_argument("study", help="slug")
        taking.add_argument("file", help="a file that export wrote; - for standard input")
        distilling = verbs.add_parser(
            "distil",
            help="file what the experiments of several runs show as rules, which wait to be accepted",
        )
        distilling.add_argument("study", help="slug")
        show = verbs.add_parser(
            "show", help="one finding with evidence, history, uses and what may be the same"
        )
        self._changes(verbs)
        for verb in (search, show, export, taking, distilling, *self._changing):
            verb.add_argument(
                "--user", default="", help="act as this account; the first administrator unless given"
            )
            verb.add_argument("--json", action="store_true", help="print JSON")
        for verb in (show, *self._changing):
            verb.add_argument("finding", help="its id or the beginning of it")

    def _changes(self, verbs: Any) -> None:
        helps = {
            "edit": "say it in other words, or for another scope",
            "accept": "take an imported finding as reviewed",
            "retract": "withdraw it: it is no fact any more",
            "supersede": "let another finding take its place",
            "merge": "take another one in, with its evidence",
        }
        parsers = {name: verbs.add_parser(name, help=text) for name, text in helps.items()}
        parsers["edit"].add_argument("--text")
        parsers["edit"].add_argument("--scope")
        parsers["edit"].add_argument(
            "--reach",
            choices=Finding.Reach.values,
            help="of a rule: told in its study, or in all of its domain",
        )
        parsers["supersede"].add_argument("--by", dest="other", required=True, metavar="FINDING")
        parsers["merge"].add_argument("--with", dest="other", required=True, metavar="FINDING")
        parsers["approve"] = verbs.add_parser(
            "approve", help="let the change hold that another person proposed"
        )
        parsers["refuse"] = verbs.add_parser(
            "refuse", help="let the change not hold that waits for a second person"
        )
        for name, parser in parsers.items():
            parser.add_argument("--reason", default="", required=name not in ("accept", "approve"))
        self._changing = list(parsers.values())

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            user = acting_user(options["user"])
            if options["verb"] == "search":
                return self._search(user, options)
            if options["verb"] == "export":
                return self._export(user, options)
            if options["verb"] == "import":
                return self._import(user, options)
            if options["verb"] == "distil":
                return self._distil(user, options)
            finding = _find(user, options["finding"])
            if options["verb"] in ("approve", "refuse"):
                approve = options["verb"] == "approve"
                finding = decide_change(finding, user=user, approve=approve, reason=options["reason"])
            elif options["verb"] != "show":
                other = options.get("other")
                finding = change(
                    finding,
                    options["verb"],
                    user=user,
                    reason=options["reason"],
                    other=_find(user, other).pk if other else None,
                    text=options.get("text"),
                    scope=options.get("scope"),
                    reach=options.get("reach"),
                )
            self._show(finding, options)

    def _search(self, user: User, options: dict[str, Any]) -> None:
        studies, words = _studies(user, options["study"]), " ".join(options["words"])
        status, limit = options["status"], max(1, options["limit"])
        if words:
            wanted = Finding.Status.values if status in ("all", "waiting") else [status]
            ids = list(studies.values_list("pk", flat=True))
            hits = [
                hit
                for each in wanted
                for hit in search_findings(
                    words, study_ids=ids, limit=limit, status=each, only=_only(options)
                )
            ]
            rows = [hit.row for hit in sorted(hits, key=lambda hit: -hit.score)[:limit]]
        else:
            rows = list(_rows(studies, options)[:limit])
        if options["json"]:
            self.stdout.write(json.dumps([finding_data(row) for row in rows], ensure_ascii=False))
        else:
            self.stdout.write("\n".join(map(row_line, rows)) or "Nothing fits.")

    def _show(self, finding: Finding, options: dict[str, Any]) -> None:
        history, uses, alike = history_of(finding), runs_using(finding), near_duplicates(finding)
        if options["json"]:
            data = finding_data(finding, history=history, uses=uses, alike=alike)
            self.stdout.write(json.dumps(data, ensure_ascii=False))
        else:
            waiting = waiting_change(finding)
            if waiting is not None:
                told = json.dumps(waiting.given, ensure_ascii=False)
                self.stdout.write(
                    f"A change by {waiting.by} waits for a second person: {waiting.verb} {told} ({waiting.reason})"
                )
            self.stdout.write("\n".join(finding_lines(finding, history=history, uses=uses, alike=alike)))

    def _export(self, user: User, options: dict[str, Any]) -> None:
        data = export_findings(_rows(_studies(user, options["study"]), options))
        text = json.dumps(data, ensure_ascii=False, indent=1)
        if options["to"] == "-":
            self.stdout.write(text)
            return
        try:
            Path(options["to"]).write_text(text + "\n", encoding="utf-8")
        except OSError as fault:
            raise BadInput(f"The file {options['to']} cannot be written: {fault.strerror}.") from None
        told = {"findings": len(data["findings"]), "file": options["to"]}
        self.stdout.write(
            json.dumps(told) if options["json"] else f"{told['findings']:,} findings are in {told['file']}."
        )

    def _distil(self, user: User, options: dict[str, Any]) -> None:
        study = _study(user, options["study"])
        made = distil(study, user=user)
        if options["json"]:
            self.stdout.write(json.dumps([finding_data(row) for row in made], ensure_ascii=False))
            return
        lines = [row_line(row) for row in made]
        hint = (
            "Accept each with `manage.py findings accept ID`."
            if made
            else "Nothing new holds in several runs."
        )
        self.stdout.write("\n".join([*lines, hint]))

    def _import(self, user: User, options: dict[str, Any]) -> None:
        study = _study(user, options["study"])
        done = take_in(study, _content(options["file"]), user=user, name=Path(options["file"]).name)
        told = {"added": [str(row.pk) for row in done.added], "known": done.known}
        self.stdout.write(
            json.dumps(told)
            if options["json"]
            else f"{len(done.added):,} findings were imported, {done.known:,} were here already. "
            f"They wait: `manage.py findings search --study {study.slug} --status unreviewed`."
        )


def _study(user: User, slug: str) -> Study:
    study = studies_of(user).filter(pk=find_study(slug).pk).first()
    if study is None:
        raise NotFound(f"There is no study {slug!r} for {user.get_username()}.")
    return study


def _content(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as fault:
        raise BadInput(f"The file {name} cannot be read: {fault.strerror}.") from None


def _studies(user: User, slug: str) -> QuerySet[Study]:
    studies = studies_of(user)
    if not slug:
        return studies
    found = studies.filter(pk=find_study(slug).pk)
    if not found.exists():
        raise NotFound(f"There is no study {slug!r} for {user.get_username()}.")
    return found


def _only(options: dict[str, Any]) -> Q | None:
    found = Q()
    if options["status"] == "waiting":
        found &= Q(changes__state="waiting")
    if options["kind"]:
        found &= Q(kind=options["kind"])
    if options["domain"]:
        found &= Q(domain=options["domain"])
    if options["sure"]:
        found &= Q(confidence__gte=options["sure"])
    return found or None


def _rows(studies: QuerySet[Study], options: dict[str, Any]) -> QuerySet[Finding]:
    rows = findings_of(studies, status="" if options["status"] in ("all", "waiting") else options["status"])
    only = _only(options)
    return rows if only is None else rows.filter(only)


def _find(user: User, text: str) -> Finding:
    rows = Finding.objects.filter(study__in=studies_of(user)).select_related("study", "run")
    return by_prefix(rows, text, what="finding", hint=HINT)
