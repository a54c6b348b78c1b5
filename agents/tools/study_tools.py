"""The tools that belong to one study: its experiments, data, documents and findings."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol

from agents.core.measurement import Experiment
from agents.core.ports import PassageStore
from agents.core.study import StudyProtocol
from agents.core.tools import ToolSpec
from agents.tools.bench.ask import ask_tool
from agents.tools.bench.measure import Instrument, LedgerRows, measure_tool
from agents.tools.data.plots import plot_tool
from agents.tools.data.rows import Row
from agents.tools.data.tables import Tables, table_tools
from agents.tools.design.advice import Advisor, advice_tools
from agents.tools.design.plans import design_tools
from agents.tools.literature.documents import document_tool
from agents.tools.memory.findings import FindingSearch, finding_tool
from agents.tools.memory.milestone import NamedFindings, milestone_tools
from agents.tools.memory.records import RecordLookup, record_tool
from agents.tools.memory.supersede import ActiveFindings, supersede_tool
from agents.tools.tool import Tool

__all__ = [
    "ActiveFindings",
    "Advisor",
    "FindingSearch",
    "LedgerRows",
    "NamedFindings",
    "RecordLookup",
    "StudyDataset",
    "study_tools",
]

LEDGER_TABLE = "experiments"
"""The name under which the data tools offer the study's own ledger."""


class StudyDataset(Instrument, Protocol):
    """An uploaded table under the study's own names."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows, in file order."""


def study_tools(
    protocol: StudyProtocol,
    *,
    datasets: Mapping[str, StudyDataset],
    passages: PassageStore | None,
    findings: FindingSearch | None,
    records: RecordLookup | None,
    experiments: LedgerRows | None,
    advisor: Advisor | None,
    active_findings: ActiveFindings | None,
    named_findings: NamedFindings | None,
    spec_of: Callable[[str], ToolSpec | None],
) -> dict[str, Tool]:
    """Return the tools that this study can have, by name: only those whose material is there.

    ``spec_of`` finds a tool of the finished toolbox by its name."""
    units = {parameter.name: parameter.unit for parameter in protocol.space.parameters}
    units |= {objective.name: objective.unit for objective in protocol.objectives}
    made = _experiment_tools(protocol, datasets, experiments)
    tables = _tables(protocol, datasets, experiments)
    made += table_tools(tables, units=units)
    if tables:
        made.append(plot_tool(tables, units=units))
    if protocol.space.parameters:
        made += design_tools(protocol.space, protocol.constraints)
        if advisor is not None and protocol.objectives and protocol.experiment_tool:
            made += advice_tools(advisor, lambda: spec_of(protocol.experiment_tool))
    if passages is not None:
        made.append(document_tool(passages))
    if findings is not None:
        made.append(finding_tool(findings))
    if active_findings is not None:
        made.append(supersede_tool(active_findings))
    if named_findings is not None and protocol.milestones:
        made += milestone_tools(named_findings)
    if records is not None:
        made.append(record_tool(records))
    return {each.spec.name: each for each in made}


def _tables(
    protocol: StudyProtocol, datasets: Mapping[str, StudyDataset], experiments: LedgerRows | None
) -> Tables:
    """The instrument is no table to read: its values are to be had by experiments only."""
    found: dict[str, Callable[[], Awaitable[list[Row]]]] = {}
    if experiments is not None and protocol.objectives:
        found[LEDGER_TABLE] = partial(_ledger_rows, experiments)
    for ref in protocol.datasets:
        if ref.role != "instrument" and ref.id in datasets:
            name = ref.name if ref.name not in found else f"{ref.name} ({ref.id})"
            found[name] = partial(_dataset_rows, datasets[ref.id])
    return found


async def _dataset_rows(dataset: StudyDataset) -> list[Row]:
    return dataset.rows


async def _ledger_rows(experiments: LedgerRows) -> list[Row]:
    return [_ledger_row(experiment) for experiment in await experiments()]


def _ledger_row(experiment: Experiment) -> Row:
    measured = {m.objective: m.value if m.status == "ok" else None for m in experiment.measurements}
    about = {"experiment": experiment.id, "round": experiment.round, "status": experiment.status}
    return {**experiment.conditions, **measured, **about}


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
