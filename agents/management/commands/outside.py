"""``manage.py outside``: MCP servers, OpenAPI documents and instruments as tools of a study."""

import argparse
import json
import shlex
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from agents.core.errors import BadInput, NotFound, Refused
from agents.core.outside import Definition
from agents.management.lookup import find_study, plain_errors
from agents.models import SourceTool, Study, ToolSource
from agents.queries import tool_changes_of, tool_sources_of
from agents.services import outside
from agents.services.outside import OPERATOR


class Command(BaseCommand):
    """Outside tools from the command line. Whoever runs it has the machine, so it acts as an administrator."""

    help = "Add MCP servers, OpenAPI documents and instruments to a study, and switch their tools on."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        adding = [
            verbs.add_parser(
                "add-mcp", help="add an MCP server: an address, or a program that is started here"
            ),
            verbs.add_parser("add-openapi", help="add an OpenAPI document: an address or a file"),
            verbs.add_parser("add-instrument", help="add an instrument that takes jobs and calls back"),
        ]
        for verb in adding:
            verb.add_argument("study")
            verb.add_argument("name", help="lower-case word that stands in front of the tools' names")
            verb.add_argument("--header", action="append", default=[], metavar="NAME:VALUE")
        adding[0].add_argument("--url", default="")
        adding[0].add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
        adding[0].add_argument("--program", default="", help="the program with its arguments, in quotes")
        adding[1].add_argument("document", help="address or file")
        adding[1].add_argument(
            "--base-url", default="", help="where the service is, when the document is silent"
        )
        adding[2].add_argument("url")
        adding[2].add_argument(
            "--secret", required=True, metavar="TOOL_SECRET_…", help="name of the variable"
        )
        for name, what in (("check", "look at a source again"), ("remove", "remove a source")):
            verb = verbs.add_parser(name, help=what)
            verb.add_argument("study")
            verb.add_argument("source")
        history = verbs.add_parser("history", help="who added, switched and accepted what, newest first")
        history.add_argument("study")
        history.add_argument("--most", type=int, default=50)
        listing = verbs.add_parser("list", help="list sources and their tools")
        listing.add_argument("study")
        listing.add_argument("--json", action="store_true")
        self._switches(verbs)

    def _switches(self, verbs: Any) -> None:
        for name, what in (
            ("on", "let runs use a tool"),
            ("off", "let runs use it no more"),
            ("accept", "take a changed definition as it is now"),
        ):
            verb = verbs.add_parser(name, help=what)
            verb.add_argument("study")
            verb.add_argument("tool", help="its name, as `outside list` shows it")
            if name == "on":
                verb.add_argument("--effect", choices=("blind", "keyed", "local"))
                verb.add_argument("--risk", choices=("low", "medium", "high"))
                verb.add_argument("--timeout", type=float, dest="timeout_s", metavar="SECONDS")
                verb.add_argument("--cost", type=float)
                verb.add_argument("--words", help="your own description, which the reasoner reads")
                verb.add_argument(
                    "--no-review",
                    dest="needs_review",
                    action="store_false",
                    default=None,
                    help="leave it to the policy",
                )
        trying = verbs.add_parser(
            "try", help="call a tool that is switched on, through the gate, and print its result"
        )
        trying.add_argument("study")
        trying.add_argument("tool")
        trying.add_argument("arguments", nargs="?", default="{}", help="a JSON object")
        code = verbs.add_parser("code", help="switch the sandbox for model-written Python on or off")
        code.add_argument("study")
        code.add_argument("state", choices=("on", "off"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            study = find_study(options["study"])
            getattr(self, f"_{options['verb'].replace('-', '_')}")(study, options)

    def _add_mcp(self, study: Study, options: dict[str, Any]) -> None:
        if bool(options["url"]) == bool(options["program"]):
            raise BadInput('Give --url ADDRESS, or --program "PROGRAM ARGUMENTS".')
        environment = _pairs(options["env"], "=")
        if options["url"]:
            self._add(study, options, kind="mcp_http", url=options["url"])
        else:
            command = shlex.split(options["program"])
            self._add(study, options, kind="mcp_stdio", command=command, environment=environment)

    def _add_openapi(self, study: Study, options: dict[str, Any]) -> None:
        given: dict[str, Any] = {"base_url": options["base_url"]}
        if options["document"].startswith(("http://", "https://")):
            given["url"] = options["document"]
        else:
            path = Path(options["document"])
            if not path.is_file():
                raise NotFound(f"There is no file {options['document']!r}; nothing was added.")
            given["document"] = path.read_text(encoding="utf-8", errors="replace")
        self._add(study, options, kind="openapi", **given)

    def _add_instrument(self, study: Study, options: dict[str, Any]) -> None:
        self._add(study, options, kind="webhook", url=options["url"], secret=options["secret"])

    def _add(self, study: Study, options: dict[str, Any], **given: Any) -> None:
        row = outside.add_source(
            study,
            name=options["name"],
            by=None,
            is_admin=True,
            headers=_pairs(options["header"], ":"),
            **given,
        )
        self._print(row)
        self.stdout.write(f"All its tools are off; switch one on: manage.py outside on {study.slug} TOOL")

    def _check(self, study: Study, options: dict[str, Any]) -> None:
        self._print(outside.check_source(_source(study, options["source"])))

    def _remove(self, study: Study, options: dict[str, Any]) -> None:
        outside.remove_source(_source(study, options["source"]), by=OPERATOR)
        self.stdout.write(f"{options['source']} was removed.")

    def _list(self, study: Study, options: dict[str, Any]) -> None:
        sources = list(tool_sources_of(study))
        if options["json"]:
            self.stdout.write(json.dumps([_data(row) for row in sources], ensure_ascii=False))
            return
        for row in sources:
            self._print(row)
        if not sources:
            self.stdout.write("The study has no outside tools. See `manage.py outside add-mcp --help`.")

    def _history(self, study: Study, options: dict[str, Any]) -> None:
        for row in tool_changes_of(study)[: max(1, options["most"])]:
            what = " ".join(filter(None, (row.tool or row.source, row.what.replace("_", " "), row.told)))
            self.stdout.write(f"{row.at:%Y-%m-%d %H:%M}  {row.by or 'found out':<16} {what}")

    def _on(self, study: Study, options: dict[str, Any]) -> None:
        names = ("effect", "risk", "timeout_s", "cost", "words", "needs_review")
        declared = {name: options[name] for name in names if options[name] is not None}
        tool = outside.set_tool(_tool(study, options["tool"]), is_on=True, by=OPERATOR, declared=declared)
        self.stdout.write(_line(tool))

    def _off(self, study: Study, options: dict[str, Any]) -> None:
        self.stdout.write(_line(outside.set_tool(_tool(study, options["tool"]), is_on=False, by=OPERATOR)))

    def _accept(self, study: Study, options: dict[str, Any]) -> None:
        tool = _tool(study, options["tool"])
        if tool.seen is None:
            raise BadInput(f"Nothing new is known of {tool.name}: see `manage.py outside check`.")
        self.stdout.write(_line(outside.accept_change(tool, by=OPERATOR, pin=tool.seen["pin"])))

    def _try(self, study: Study, options: dict[str, Any]) -> None:
        """Whoever types the arguments has read them: that is the review of this call."""
        tool = _tool(study, options["tool"])
        try:
            arguments = json.loads(options["arguments"])
        except ValueError as fault:
            raise BadInput(f"The arguments are no JSON: {fault}.") from None
        result = outside.try_tool(tool, arguments, by=OPERATOR)
        if not result.success:
            raise Refused(f"{result.fault}: {result.error_message}")
        self.stdout.write(json.dumps(result.data, ensure_ascii=False, indent=2))

    def _code(self, study: Study, options: dict[str, Any]) -> None:
        outside.let_run_code(study, is_on=options["state"] == "on", by=OPERATOR)
        self.stdout.write(f"Runs of {study.slug} may {'' if study.runs_code else 'not '}execute code.")

    def _print(self, row: ToolSource) -> None:
        data = _data(row)
        self.stdout.write(f"{row.name}  {row.kind}  {data['where']}")
        if row.error:
            self.stdout.write(f"  {row.error}")
        for tool in row.tools.all():
            self.stdout.write(f"  {_line(tool)}")


def _data(row: ToolSource) -> dict[str, Any]:
    where = " ".join(row.config.get("command") or []) or row.config.get("url", "")
    tools = [
        {"name": tool.name, "remote": tool.remote, "state": tool.state, "is_on": tool.is_on, **tool.declared}
        for tool in row.tools.all()
    ]
    return {"name": row.name, "kind": row.kind, "where": where, "error": row.error, "tools": tools}


def _line(tool: SourceTool) -> str:
    definition = Definition.model_validate(tool.accepted)
    state = "on" if tool.is_on else "off"
    if definition.problem:
        state = f"cannot be used: {definition.problem}"
    elif tool.state != SourceTool.State.OK:
        state = f"blocked: {tool.state} since it was accepted"
    caution = f"  (careful: {definition.caution})" if definition.caution else ""
    return f"{tool.name}  {state}{caution}"


def _source(study: Study, name: str) -> ToolSource:
    found = study.tool_sources.filter(name=name).first()
    if found is None:
        known = ", ".join(study.tool_sources.values_list("name", flat=True)) or "none yet"
        raise NotFound(f"The study has no source {name!r}; its sources: {known}.")
    return found


def _tool(study: Study, name: str) -> SourceTool:
    rows = SourceTool.objects.filter(source__study=study)
    found = rows.filter(name=name).select_related("source__study").first()
    if found is None:
        known = ", ".join(rows.values_list("name", flat=True)[:30]) or "none yet"
        raise NotFound(f"The study has no outside tool {name!r}; its tools: {known}.")
    return found


def _pairs(given: list[str], mark: str) -> dict[str, str]:
    found = {}
    for text in given:
        name, sign, value = text.partition(mark)
        if not sign or not name.strip():
            raise BadInput(f"{text!r} is not of the form NAME{mark}VALUE.")
        found[name.strip()] = value.strip()
    return found
