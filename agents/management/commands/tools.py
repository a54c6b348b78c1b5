"""``manage.py tools``: what is installed, how a tool is called, and trying one that changes nothing."""

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.core.errors import BadInput, NotFound
from agents.core.names import listed
from agents.core.tools import ToolSpec
from agents.management.lookup import plain_errors
from agents.services.trials import try_tool
from agents.wiring import registry

DECLARED = (
    "category", "effect", "executor", "cost", "duration_s", "timeout_s", "risk", "is_reversible", "cacheable",
    "parallel_safe", "needs_review", "rate_per_minute", "retries", "fallback",
)  # fmt: skip


class Command(BaseCommand):
    """Lists tools, shows one, and tries one through the same gate and executor as a run."""

    help = (
        "List the installed tools, show one with its schemas and examples, or try one that changes nothing."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        listing = verbs.add_parser(
            "list", help="every installed tool in a line, and what could not be loaded"
        )
        listing.add_argument("--category", default="", help="only of this category")
        show = verbs.add_parser("show", help="what a tool takes and gives, what it declares, examples")
        trying = verbs.add_parser("try", help="call a tool that changes nothing")
        for verb in (show, trying):
            verb.add_argument("tool")
        trying.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE",
            help="an argument; a list or object as JSON; may be given again",
        )  # fmt: skip
        trying.add_argument(
            "--arguments", default="", metavar="JSON", help="all arguments as one JSON object"
        )
        for verb in (listing, show, trying):
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            {"list": self._list, "show": self._show, "try": self._try}[options["verb"]](options)

    def _list(self, options: dict[str, Any]) -> None:
        specs = sorted((t.spec for t in registry().tools.values()), key=lambda s: (s.category, s.name))
        specs = [spec for spec in specs if options["category"] in ("", spec.category)]
        if options["json"]:
            rows = [{"name": s.name, "category": s.category, "version": s.version} for s in specs]
            self.stdout.write(json.dumps({"tools": rows, "problems": registry().problems}))
            return
        for spec in specs:
            self.stdout.write(f"{spec.category:<12} {spec.name:<24} {spec.description[:80]}")
        for problem in registry().problems:
            self.stderr.write(f"not loaded: {problem['source']}: {problem['message']}")

    def _show(self, options: dict[str, Any]) -> None:
        spec = _spec(options["tool"])
        if options["json"]:
            self.stdout.write(spec.model_dump_json())
            return
        self.stdout.write(f"{spec.name} {spec.version}  {spec.title}\n{spec.description}\n")
        for name in DECLARED:
            self.stdout.write(f"  {name:<16} {getattr(spec, name)}")
        for title, schema in (("takes", spec.input_schema), ("gives", spec.output_schema)):
            self.stdout.write(f"\n{title}\n{json.dumps(schema, indent=2, ensure_ascii=False)}")
        for example in spec.examples:
            self.stdout.write(f"\nexample\n{json.dumps(example, ensure_ascii=False)}")

    def _try(self, options: dict[str, Any]) -> None:
        _spec(options["tool"])
        result = try_tool(options["tool"], _arguments(options["arguments"], options["set"]))
        if options["json"]:
            self.stdout.write(result.model_dump_json())
        elif result.success:
            data = json.dumps(result.data, indent=2, ensure_ascii=False)
            self.stdout.write(f"{result.summary}\n{data}")
        if not result.success:
            raise CommandError(f"{result.fault}: {result.error_message}")


def _spec(name: str) -> ToolSpec:
    found = registry().tools.get(name)
    if found is None:
        raise NotFound(
            f"There is no tool {name!r}; the tools are: {listed(list(registry().tools), near=name)}."
        )
    return found.spec


def _arguments(whole: str, pairs: list[str]) -> dict[str, Any]:
    """Return the arguments; a value stays text unless it is JSON, and the gate reads it by its field."""
    try:
        arguments = json.loads(whole) if whole else {}
    except ValueError as fault:
        raise BadInput(f"--arguments is no JSON: {fault}") from None
    if not isinstance(arguments, dict):
        raise BadInput('--arguments must be one JSON object, as in \'{"smiles": "CCO"}\'.')
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name.strip():
            raise BadInput(f"--set {pair!r}: write --set NAME=VALUE.")
        arguments[name.strip()] = value
    return arguments
