"""What a run was begun with, and how that differs from what this program brings."""

from collections.abc import Iterable
from typing import Any, Literal

from agents.core.canonical import digest_of
from agents.core.errors import DaybookError
from agents.core.science import Value
from agents.core.tools import ToolSpec

GRAPH_VERSION = "1"
"""Raised whenever a node is renamed, added or removed, so that waiting runs are not driven on blindly."""

DRIVABLE = ("1",)
"""The graph versions that this program can still drive; ``agents.engine.driver`` holds how each is built."""

DIGITS = 12
_SAID = frozenset({"title", "description", "examples", "default"})
"""Parts of a schema that change what is said of a field, not what it may hold."""

Choice = Literal["finish", "fork", "close"]


class Configuration(Value):
    """What a run is driven with: its graph's version, the program's when that was last accepted, its tools.

    ``tools`` gives each tool's version and the digest of its contract, as ``2:1f0c…``.
    """

    graph: str
    program: str
    tools: dict[str, str] = {}


class Difference(Value):
    """One thing that is not what it was: ``graph``, a ``tool``, or ``setup``: what the run needs is missing."""

    what: Literal["graph", "tool", "setup"]
    name: str = ""
    stored: str = ""
    now: str = ""
    """Empty for a tool that is gone; for ``setup`` the sentence that says what is missing."""

    @property
    def sentence(self) -> str:
        """The difference for a terminal or a log."""
        if self.what == "graph":
            return f"The run was begun by graph version {self.stored}; this program's is {self.now}."
        if self.what == "setup":
            return f"The run cannot be loaded: {self.now}"
        if not self.now:
            return f"The tool {self.name} is not installed any more."
        before, after = self.stored.partition(":")[0], self.now.partition(":")[0]
        how = f"version {before} then, {after} now" if before != after else "same version, another contract"
        return f"The tool {self.name} has changed ({how})."


class Changed(DaybookError):
    """The program differs from what the run was begun with: nothing runs until a person has chosen."""

    def __init__(self, differences: list[Difference], configuration: Configuration) -> None:
        super().__init__(" ".join(difference.sentence for difference in differences))
        self.differences = differences
        self.configuration = configuration


def fingerprint(spec: ToolSpec) -> str:
    """Return the version of a tool and the digest of what its callers rely on; wording is no part of it."""
    contract = {
        "effect": str(spec.effect),
        "executor": spec.executor,
        "is_experiment": spec.is_experiment,
        "input": _bare(spec.input_schema),
        "output": _bare(spec.output_schema),
    }
    return f"{spec.version}:{digest_of(contract)[:DIGITS]}"


def configuration_of(specs: Iterable[ToolSpec], *, graph: str) -> Configuration:
    """Return what this program drives a run of ``graph`` version with."""
    return Configuration(
        graph=graph, program=GRAPH_VERSION, tools={spec.name: fingerprint(spec) for spec in specs}
    )


def graph_difference(stored: Configuration | None, *, graph: str) -> list[Difference]:
    """Return the difference of a run of ``graph`` version, unless a person accepted it under this program."""
    if graph == GRAPH_VERSION or (stored is not None and stored.program == GRAPH_VERSION):
        return []
    return [Difference(what="graph", stored=graph, now=GRAPH_VERSION)]


def differences(stored: Configuration | None, now: Configuration) -> list[Difference]:
    """Return what changed since ``stored``: the graph, and tools that changed or are gone. New ones do no harm."""
    found = graph_difference(stored, graph=now.graph)
    for name, before in sorted(stored.tools.items() if stored else ()):
        after = now.tools.get(name, "")
        if after != before:
            found.append(Difference(what="tool", name=name, stored=before, now=after))
    return found


def choices(found: Iterable[Difference], *, graph: str) -> list[Choice]:
    """Return what may be done with a run that differs: a graph that is gone cannot be finished, and a fork
    needs all that the run itself needs."""
    kinds = {difference.what for difference in found}
    offered: list[Choice] = ["finish"] if graph in DRIVABLE else []
    return [*offered, *(["fork"] if "setup" not in kinds else []), "close"]  # type: ignore[list-item]


def _bare(schema: Any, *, is_names: bool = False) -> Any:
    """Return ``schema`` without its wording. Under ``properties`` the keys are names of fields, not keywords."""
    if isinstance(schema, dict):
        return {
            key: _bare(part, is_names=not is_names and key in ("properties", "$defs"))
            for key, part in schema.items()
            if is_names or key not in _SAID
        }
    return [_bare(part) for part in schema] if isinstance(schema, list) else schema
