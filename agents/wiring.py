"""From settings and rows to ports: the only place that knows which implementation stands behind each.

Everything heavy is imported inside the functions, so that a web process stays light until it needs it.
"""

import functools
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings

from agents.core.breaker import Breaker
from agents.core.digest import Digest, Passage
from agents.core.errors import NotConfigured
from agents.core.findings import Finding
from agents.core.ports import FindingStore, ModelUsage, PassageStore, Reasoner, Toolbox
from agents.core.ranking import Rank
from agents.core.rate import RateLimit
from agents.core.records import Record
from agents.core.study import StudyProtocol
from agents.models import Study
from agents.optimiser_advice import StudyAdvisor
from agents.store.artifacts import artifact_path, store_bytes
from agents.store.bridge import in_database
from agents.store.kept_results import OrmKeptResults
from agents.store.ledger import rows_of

if TYPE_CHECKING:
    from agents.adapters.openai.settings import ModelSettings
    from agents.adapters.tables import Dataset
    from agents.reasoners.optimiser import OptimiserReasoner
    from agents.tools.registry import Registry

_breakers: dict[str, Breaker] = {}
_rates: dict[str, RateLimit] = {}
_toolboxes: "dict[tuple[int, str, str], tuple[Registry, Toolbox]]" = {}
TOOLBOXES = 16
"""Toolboxes that a process keeps, those that were asked for last."""
_lock = threading.Lock()


@functools.lru_cache(maxsize=1)
def registry() -> "Registry":
    """Return the installed tools: built-in, from ``DAYBOOK_TOOLS`` and from entry points."""
    from agents.tools.network import allow
    from agents.tools.registry import load_registry

    allow(frozenset(settings.DAYBOOK_TOOL_HOSTS))
    return load_registry(settings.DAYBOOK_TOOLS)


@functools.lru_cache(maxsize=1)
def tool_rank() -> Rank:
    """Return what finds tools by meaning. The weights are loaded when there are first too many tools to show."""
    from agents.adapters.embeddings.choose import embedder_for
    from agents.adapters.embeddings.ranking import MeaningRank

    return MeaningRank(embedder_for())


def tool_health() -> dict[str, Breaker]:
    """Return the circuit breakers of this process, by tool."""
    return _breakers


@functools.lru_cache(maxsize=32)
def _dataset(study_id: str, dataset_id: str, protocol_json: str) -> "Dataset":
    from agents.adapters.tables import load_dataset

    protocol = StudyProtocol.model_validate_json(protocol_json)
    ref = next(ref for ref in protocol.datasets if ref.id == dataset_id)
    return load_dataset(artifact_path(ref.content_hash), ref)


def forget_tables() -> None:
    """Let go of the tables that were read and the tools that hold them; they are had again when they are asked for."""
    with _lock:
        _toolboxes.clear()
    _dataset.cache_clear()


def datasets_for(protocol: StudyProtocol) -> dict[str, "Dataset"]:
    """Return the study's tables, each read once a process."""
    small = StudyProtocol(study_id=protocol.study_id, title="", goal="", datasets=protocol.datasets)
    text = small.model_dump_json()
    return {ref.id: _dataset(protocol.study_id, ref.id, text) for ref in protocol.datasets}


def toolbox_for(protocol: StudyProtocol) -> Toolbox:
    """Return the tools of a study: those that this thread had before, while study, registry and settings are the same.

    A run that people review is driven anew at every answer, and describing the tools took a quarter of that.
    """
    installed = registry()
    key = (threading.get_ident(), protocol.model_dump_json(), settings.DAYBOOK_SANDBOX)
    with _lock:
        known = _toolboxes.pop(key, None)
    if known is None or known[0] is not installed:
        known = (installed, _toolbox_for(protocol, installed))
    with _lock:
        _toolboxes[key] = known
        while len(_toolboxes) > TOOLBOXES:
            del _toolboxes[next(iter(_toolboxes))]
    return known[1]


def _toolbox_for(protocol: StudyProtocol, installed: "Registry") -> Toolbox:
    from agents.tools.toolbox import StudyToolbox

    return StudyToolbox(
        protocol,
        datasets=datasets_for(protocol),
        passages=passages_for(protocol),
        findings=finding_search_for(protocol),
        records=look_up_records,
        artifacts=_write_artifact,
        experiments=_ledger_rows(protocol),
        advisor=StudyAdvisor(protocol, functools.partial(optimiser_for, protocol)),
        active_findings=run_findings,
        named_findings=named_run_findings,
        registry=_with_switched_on(installed, protocol),
        breakers=_breakers,
        cache=OrmKeptResults(protocol.study_id),
        rates=_rates,
        rank=tool_rank(),
    )


def _with_switched_on(installed: "Registry", protocol: StudyProtocol) -> "Registry":
    """Return the registry with what an owner switched on for this study. An installed tool keeps its name."""
    from dataclasses import replace

    from agents.store.jobs import OrmJobs
    from agents.store.outside import OrmWatch
    from agents.tools.outside.tools import outside_tools
    from agents.tools.outside.webhook.tool import instrument_tools
    from agents.tools.sandbox.tool import code_tools

    watch = OrmWatch()
    more = outside_tools(protocol.outside, watch)
    more |= instrument_tools(
        protocol.outside, space=protocol.space, objectives=protocol.objectives, watch=watch, jobs=OrmJobs()
    )
    if protocol.runs_code and settings.DAYBOOK_SANDBOX != "off":
        more |= code_tools()
    return replace(installed, tools={**more, **installed.tools})


def known_tool_names() -> set[str]:
    """Return the names that tools of this installation have, those of a study's own tools included."""
    from agents.core.science import Objective, Parameter, Space
    from agents.core.study import RUN_PYTHON
    from agents.tools.study_tools import study_tools

    async def nothing(*_: object) -> list[Any]:
        return []

    full = StudyProtocol(
        study_id="",
        title="",
        goal="",
        space=Space(parameters=[Parameter(name="x", kind="continuous", low=0, high=1)]),
        objectives=[Objective(name="y")],
        experiment_tool="ask_researcher",
        milestones=1,
    )
    passages = StudyPassages("", [])
    own = study_tools(
        full,
        datasets={},
        passages=passages,
        findings=nothing,
        records=look_up_records,
        experiments=nothing,
        advisor=StudyAdvisor(full, functools.partial(optimiser_for, full)),
        active_findings=run_findings,
        named_findings=named_run_findings,
        spec_of=lambda name: None,
    )
    return {*registry().tools, *own, "measure", "list_tools", "describe_tool", RUN_PYTHON}


def trial_toolbox() -> Toolbox:
    """Return the installed tools without a study: what may be tried apart from any run."""
    from agents.tools.toolbox import StudyToolbox

    return StudyToolbox(
        StudyProtocol(study_id="", title="", goal=""),
        artifacts=_write_artifact,
        registry=registry(),
        rates=_rates,
        rank=tool_rank(),
    )


def _ledger_rows(protocol: StudyProtocol) -> Callable[[], Awaitable[list[Any]]]:
    async def rows() -> list[Any]:
        return await in_database(rows_of, protocol.study_id)

    return rows


async def _write_artifact(content: bytes, *, name: str, media_type: str) -> str:
    artifact = await in_database(store_bytes, content, media_type=media_type)
    return artifact.content_hash


class StudyPassages:
    """The ``PassageStore`` of a study: its passages ranked in this process."""

    def __init__(self, study_id: str, document_ids: list[str]) -> None:
        self._study_id = study_id
        self._document_ids = document_ids

    async def search(self, query: str, *, limit: int = 5) -> list[Passage]:
        """Return the passages that fit best."""
        return await in_database(self._search, query, limit)

    def _search(self, query: str, limit: int) -> list[Passage]:
        from agents.core.passages import PassageIndex
        from agents.models import Passage as Row

        rows = Row.objects.filter(document__study_id=self._study_id, document_id__in=self._document_ids)
        passages = [
            Passage(
                document_id=str(row.document_id),
                document=row.document.name,
                index=row.index,
                page=row.page,
                start=row.start,
                end=row.end,
                text=row.text,
            )
            for row in rows.select_related("document")
        ]
        return PassageIndex(passages).search(query, limit)


def passages_for(protocol: StudyProtocol) -> PassageStore | None:
    """Return the text of the study's documents by passage, or None when there are none."""
    if not protocol.documents:
        return None
    return StudyPassages(protocol.study_id, [document.id for document in protocol.documents])


def finding_search_for(protocol: StudyProtocol) -> Callable[[str, int], Awaitable[list[Finding]]]:
    """Return the search that the recall tool uses: findings and rules of this study, and rules of its domain."""
    from agents.memory import search_known

    async def search(query: str, limit: int) -> list[Finding]:
        study = UUID(protocol.study_id)
        found = await in_database(search_known, query, study_id=study, domain=protocol.domain, limit=limit)
        return [hit.finding for hit in found]

    return search


async def run_findings(run_id: str) -> list[Finding]:
    """Return the active findings of a run; none outside a run."""
    from agents.store.findings import active_of

    return await in_database(active_of, UUID(run_id)) if run_id else []


async def named_run_findings(run_id: str, names: Sequence[str]) -> dict[str, Finding]:
    """Return the active findings by name, as ``F3`` of the run that asks or ``2/F3`` of run 2 of its study."""
    from agents.store.rules import named_findings

    return await in_database(named_findings, UUID(run_id), names) if run_id else {}


async def look_up_records(run_id: str, what: str, limit: int) -> list[Record]:
    """Return the records that the recall tool is asked for, in the run that asks."""
    from agents.records import records_of

    return await in_database(records_of, run_id, what, limit=limit) if run_id else []


def model_settings() -> "ModelSettings":
    """Return the language-model endpoint of this site; ``NotConfigured`` when none is."""
    from agents.adapters.openai.settings import ModelSettings, Price

    if not settings.OPENAI_API_KEY and not settings.OPENAI_BASE_URL:
        raise NotConfigured(
            "No language model is set up. Put OPENAI_API_KEY (and, for another provider or a local server, "
            "OPENAI_BASE_URL and DAYBOOK_MODEL) into .env and start again; or choose the optimiser, which needs none."
        )
    prices = {
        model: Price(prompt=price[0], cached=price[1], completion=price[2])
        for model, price in settings.DAYBOOK_PRICES.items()
    }
    fields: dict[str, Any] = {
        "models": settings.DAYBOOK_MODELS,
        "prices": prices,
        "api_key": settings.OPENAI_API_KEY,
    }
    if settings.DAYBOOK_CONTEXT_TOKENS:
        fields["context_tokens"] = settings.DAYBOOK_CONTEXT_TOKENS
    if settings.OPENAI_BASE_URL:
        fields["base_url"] = settings.OPENAI_BASE_URL
    return ModelSettings.model_validate(fields)


def is_model_configured() -> bool:
    """Return True when a language model may be chosen."""
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


def reasoner_for(protocol: StudyProtocol, toolbox: Toolbox) -> Reasoner:
    """Return the reasoner that ``protocol`` names."""
    if protocol.reasoner == "language_model":
        from agents.adapters.openai_chat import ChatModel
        from agents.reasoners.language_model.reasoner import LanguageModelReasoner

        return LanguageModelReasoner(ChatModel(model_settings()), check=toolbox.check, rank=tool_rank())
    return optimiser_for(protocol)


def optimiser_for(protocol: StudyProtocol) -> "OptimiserReasoner":
    """Return the built-in optimiser for a study; it searches the rows of the table that measures, where one does."""
    from agents.reasoners.optimiser import OptimiserReasoner

    candidates = None
    instrument = next((ref for ref in protocol.datasets if ref.role == "instrument"), None)
    if instrument is not None and protocol.experiment_tool == "measure":
        dataset = datasets_for(protocol)[instrument.id]
        candidates = functools.partial(dataset.conditions, protocol.space)
    return OptimiserReasoner(seed=protocol.seed, candidates=candidates)


class _Unheard:
    """A listener for digests outside a run: nobody watches the tokens; usage is kept for the page."""

    def __init__(self) -> None:
        self.usages: list[ModelUsage] = []

    async def token(self, text: str) -> None:
        """Drop the text."""

    async def used(self, usage: ModelUsage) -> None:
        """Keep the usage."""
        self.usages.append(usage)


def digester_for(study: Study) -> tuple[Callable[..., Awaitable[Digest]], str]:
    """Return what digests the study's documents, and a warning when it is not what the study asks for."""
    from agents.reasoners.extractive.apart import digest_apart as extractive

    if study.reasoner != "language_model":
        return extractive, ""
    if not is_model_configured():
        return extractive, "No language model is set up, so this digest was made without one."
    from agents.adapters.openai_chat import ChatModel
    from agents.core.errors import DaybookError
    from agents.reasoners.language_model.reasoner import LanguageModelReasoner

    reasoner = LanguageModelReasoner(ChatModel(model_settings()))

    async def by_model(parsed: Any, *, document_id: str, goal: str) -> Digest:
        try:
            return await reasoner.digest(parsed, document_id=document_id, goal=goal, listener=_Unheard())
        except DaybookError as fault:
            digest = await extractive(parsed, document_id=document_id, goal=goal)
            warning = f"The language model gave no usable digest ({fault}); this one was made without it."
            return digest.model_copy(update={"warnings": [warning, *digest.warnings]})

    return by_model, ""


def finding_store() -> FindingStore | None:
    """Return the search index of this process, or None while there is none (rows are then searched by words)."""
    from agents.memory import current_store

    return current_store()
