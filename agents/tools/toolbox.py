"""The tools of one study behind the ``Toolbox`` port."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.core.breaker import Breaker
from agents.core.errors import BadInput
from agents.core.measurement import Experiment
from agents.core.memory import MEMORY_TOOLS
from agents.core.ports import PassageStore
from agents.core.ranking import Rank, rank_by_words
from agents.core.rate import RateLimit
from agents.core.study import StudyProtocol
from agents.core.tools import Action, CheckedAction, ToolResult, ToolSpec
from agents.core.workflow import Item, is_workflow
from agents.tools.bench.experiment import entered_row, ledger_part, measured_row
from agents.tools.bench.results import check_entry
from agents.tools.cache import KeptResults, ResultCache, again, may_be_kept, result_key, scope_of
from agents.tools.directory import directory_tools
from agents.tools.executor import execute
from agents.tools.gate import check_action, check_value, check_workflow, find_tool, resolve_item
from agents.tools.registry import Registry
from agents.tools.study_tools import (
    ActiveFindings,
    Advisor,
    FindingSearch,
    LedgerRows,
    NamedFindings,
    RecordLookup,
    StudyDataset,
    study_tools,
)
from agents.tools.summary import ArtifactWriter, nothing
from agents.tools.tool import Tool

log = logging.getLogger("daybook.tools")


class StudyToolbox:
    """Implements ``Toolbox`` for a study: its own tools (measure, ask_researcher, its data, documents and
    findings) and those of the registry that the protocol allows.

    ``datasets`` are keyed by the ``id`` of the protocol's references. ``experiments`` returns the study's
    ledger; without it replicates in a dataset are not told apart. ``breakers`` and ``rates`` may be
    shared by the toolboxes of a process. Raises ``BadInput`` when the protocol names tools that do not exist, or
    an experiment tool that the study cannot have.
    """

    def __init__(
        self,
        protocol: StudyProtocol,
        *,
        datasets: Mapping[str, StudyDataset] | None = None,
        passages: PassageStore | None = None,
        findings: FindingSearch | None = None,
        records: RecordLookup | None = None,
        artifacts: ArtifactWriter | None = None,
        experiments: LedgerRows | None = None,
        advisor: Advisor | None = None,
        active_findings: ActiveFindings | None = None,
        named_findings: NamedFindings | None = None,
        registry: Registry,
        breakers: dict[str, Breaker] | None = None,
        cache: KeptResults | None = None,
        rates: dict[str, RateLimit] | None = None,
        rank: Rank = rank_by_words,
    ) -> None:
        self._protocol = protocol
        self._scope = scope_of(protocol)
        self._artifacts = artifacts
        self._breakers = {} if breakers is None else breakers
        self._cache = ResultCache() if cache is None else cache
        self._rates = {} if rates is None else rates
        own = study_tools(
            protocol,
            datasets=datasets or {},
            passages=passages,
            findings=findings,
            records=records,
            experiments=experiments,
            advisor=advisor,
            active_findings=active_findings,
            named_findings=named_findings,
            spec_of=self._spec_of,
        )
        directory = {each.spec.name: each for each in directory_tools(lambda: self._tools, rank)}
        allowed = _allowed({**registry.tools, **own, **directory}, protocol)
        self._tools = {name: _as_experiment(each, protocol) for name, each in allowed.items()}

    def _spec_of(self, name: str) -> ToolSpec | None:
        found = self._tools.get(name)
        return found.spec if found else None

    def specs(self) -> list[ToolSpec]:
        """Return the allowed tools, by name."""
        return [self._tools[name].spec for name in sorted(self._tools)]

    def check(self, action: Action) -> CheckedAction:
        """Validate an action, or a workflow as a whole: see ``agents.tools.gate``."""
        return (check_workflow if is_workflow(action) else check_action)(action, self._tools)

    def resolve(self, item: Item, results: Mapping[int, tuple[str, Any]]) -> CheckedAction:
        """Return a workflow's item with what earlier steps gave in place of its references, checked."""
        return resolve_item(item, results, self._tools)

    def check_result(self, tool: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return a person's entry, also one given in place of a machine, checked against the output schema;
        measurements come back in full form and in the objectives' units. Raises ``BadInput``."""
        found = find_tool(tool, self._tools)
        if found.spec.is_experiment or found.spec.executor != "machine":
            return check_entry(data, space=self._protocol.space, objectives=self._protocol.objectives)
        checked, _ = check_value(data, found.spec.output_schema, what=f"result of {found.spec.name}")
        return checked

    async def call(self, action: Action, *, idempotency_key: str) -> ToolResult:
        """Run an action that passed ``check``; the result tells of every fault. Cacheable results of the
        same tool version and arguments are returned again, marked as cached."""
        result = await self._call(action, idempotency_key)
        told = {name: getattr(result, name) for name in ("success", "fault", "cached", "version")}
        log.info("tool called", extra={"tool": action.tool, "seconds": round(result.duration_s, 4), **told})
        return result

    async def _call(self, action: Action, idempotency_key: str) -> ToolResult:
        try:
            checked = self.check(action)
        except BadInput as error:
            return ToolResult(success=False, fault="bad_input", error_message=str(error), tool=action.tool)
        if checked.coercions:
            message = "the arguments would be changed before the call; check the action first"
            return ToolResult(success=False, fault="refused", error_message=message, tool=action.tool)
        tool = self._tools[action.tool]
        arguments = checked.action.arguments
        if not may_be_kept(tool.spec):
            return await self._execute(tool, arguments, idempotency_key)
        key = result_key(self._scope, tool.spec, checked.action)
        known = await self._cache.get(key)
        if known is not None:
            return again(known)
        result = await self._execute(tool, arguments, idempotency_key)
        if result.success:
            await self._cache.put(key, result)
        return result

    async def _execute(self, tool: Tool, arguments: dict[str, Any], idempotency_key: str) -> ToolResult:
        spec = tool.spec
        title = spec.title or spec.name
        limit = None
        if spec.rate_per_minute is not None:
            limit = self._rates.setdefault(spec.name, RateLimit(title, spec.rate_per_minute))
        return await execute(
            tool,
            arguments,
            idempotency_key=idempotency_key,
            breaker=self._breakers.setdefault(spec.name, Breaker(title)),
            rate=limit,
            write_artifact=self._artifacts,
            kept=self._ledger_part if spec.is_experiment else nothing,
        )

    def _ledger_part(self, data: dict[str, Any]) -> dict[str, Any]:
        return ledger_part(data, self._protocol.objectives)

    def experiment_from(self, action: Action, data: dict[str, Any]) -> Experiment | None:
        """Return the ledger row (``id`` empty) of an experiment's result or checked entry, else None."""
        found = self._tools.get(action.tool)
        if found is None or not found.spec.is_experiment:
            return None
        if found.spec.executor != "machine" or "measurements" in data:
            return entered_row(action, data, self._protocol.objectives)
        return measured_row(action, data, self._protocol.objectives)


def _allowed(installed: dict[str, Tool], protocol: StudyProtocol) -> dict[str, Tool]:
    """Return the tools that the protocol allows; the experiment tool always, since a study cannot do without."""
    wanted = [name for name in (*protocol.tools, protocol.experiment_tool) if name]
    missing = [name for name in wanted if name not in installed]
    if missing:
        raise BadInput(_missing_message(missing[0], installed, protocol))
    if not protocol.tools:
        return installed
    # A milestone review cannot do without, and nothing else is told of these.
    wanted += [name for name in MEMORY_TOOLS if protocol.milestones and name in installed]
    return {name: installed[name] for name in dict.fromkeys(wanted)}


def _as_experiment(found: Tool, protocol: StudyProtocol) -> Tool:
    """Return the study's experiment tool marked as such when it returns a response of the study: its results
    then enter the ledger, and its repeats are refused."""
    returned = (found.spec.output_schema or {}).get("properties", {})
    measures = any(objective.name in returned for objective in protocol.objectives)
    if found.spec.name != protocol.experiment_tool or found.spec.is_experiment or not measures:
        return found
    return replace(found, spec=found.spec.model_copy(update={"is_experiment": True}))


def _missing_message(name: str, installed: dict[str, Tool], protocol: StudyProtocol) -> str:
    if name == "measure":
        return (
            "the study measures with a dataset and has none as its instrument: add a dataset whose role is "
            "instrument, or let the researcher measure (experiment tool ask_researcher)"
        )
    return f"the study names the tool {name!r}, which is not installed; the tools are: {', '.join(sorted(installed))}"
