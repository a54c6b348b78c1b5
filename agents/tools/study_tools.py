"""The tools that belong to one study: its experiments, data, documents and findings."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from agents.core.findings import Finding
from agents.core.ports import PassageStore
from agents.core.study import StudyProtocol
from agents.tools.bench.ask import ask_tool
from agents.tools.bench.measure import Instrument, LedgerRows, measure_tool
from agents.tools.tool import Tool

__all__ = ["FindingSearch", "LedgerRows", "StudyDataset", "study_tools"]

FindingSearch = Callable[[str, int], Awaitable[list[Finding]]]
"""``search(query, limit)``: findings that fit the query, best first."""


class StudyDataset(Instrument, Protocol):
    """An uploaded table under the study's own names."""

    rows: list[dict[str, Any]]

    def describe(self) -> dict[str, Any]:
        """Return name, row count and what each column holds."""


def study_tools(
    protocol: StudyProtocol,
    *,
    datasets: Mapping[str, StudyDataset],
    passages: PassageStore | None,
    findings: FindingSearch | None,
    experiments: LedgerRows | None,
) -> dict[str, Tool]:
    """Return the tools that this study can have, by name: only those whose material is there."""
    made = _experiment_tools(protocol, datasets, experiments)
    return {each.spec.name: each for each in made}


def _experiment_tools(
    protocol: StudyProtocol, datasets: Mapping[str, StudyDataset], experiments: LedgerRows | None
) -> list[Tool]:
    """``ask_researcher`` is offered when the protocol wants it or nothing else measures."""
    made: list[Tool] = []
    instrument = next(
        (ref for ref in protocol.datasets if ref.role == "instrument" and ref.id in datasets), None
    )
    if instrument is not None and protocol.space.parameters and protocol.objectives:
        made.append(
            measure_tool(
                dataset=datasets[instrument.id],
                name=instrument.name,
                space=protocol.space,
                objectives=protocol.objectives,
                experiments=experiments,
            )
        )
    wants_person = "ask_researcher" in (*protocol.tools, protocol.experiment_tool)
    if wants_person or protocol.experiment_tool != "measure":
        made.append(ask_tool(space=protocol.space, objectives=protocol.objectives))
    return made
