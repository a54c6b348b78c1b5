"""How the engine meets the world. Values cross, models do not."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from agents.core.brief import Brief, Contradiction, Veto, WholeMemory
from agents.core.budget import Budget, Spent
from agents.core.digest import Digest, ParsedDocument, Passage
from agents.core.findings import Finding, FoundFinding
from agents.core.gates import Answer, GateRequest, Guidance
from agents.core.history import History
from agents.core.measurement import Experiment
from agents.core.proposal import MemoryOperation, Turn
from agents.core.science import Value
from agents.core.tools import Action, CheckedAction, EffectClass, ToolResult, ToolSpec
from agents.core.workflow import Item


class ModelUsage(Value):
    """One call of a language model, as the provider reported it. ``estimated`` when it did not."""

    role: str
    model: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0
    estimated: bool = False
    fault: str = ""
    """Empty when the answer was usable; else what was wrong with it: a name of ``agents.core.model_faults``."""
    message: str = ""
    """The same as a sentence for people, with what is known of this very answer."""
    sections: dict[str, int] = {}
    """Tokens of each section of the prompt, by name."""
    left_out: dict[str, int] = {}
    """Lines that a section left to the record for want of room, by name."""


class Listener(Protocol):
    """Hears a reasoner think."""

    async def token(self, text: str) -> None:
        """A further piece of the model's output, for people watching."""

    async def used(self, usage: ModelUsage) -> None:
        """A model call ended, usable or not; called once for every call. Raises ``Refused`` when a
        budget is used up, before any further call."""


class Reasoner(Protocol):
    """What digests, proposes and summarises: a language model or the built-in optimiser."""

    name: str
    calls_out: bool
    """True when proposing calls a service: the engine then journals each call so that it happens once."""

    async def digest(
        self, document: ParsedDocument, *, document_id: str, goal: str, listener: Listener
    ) -> Digest:
        """Reduce a document to items with page and quote."""

    async def propose(self, brief: Brief, listener: Listener) -> Turn:
        """Return the next proposal, or a proposal to finish, with memory operations for the last
        observation. Raises ``ModelFault`` when no usable answer came, ``BadInput`` when the study lacks
        what this reasoner needs."""

    async def reflect(self, brief: Brief) -> list[MemoryOperation]:
        """Return what the latest observation changes in memory, when that costs no model call."""

    async def tidy(self, brief: Brief, whole: WholeMemory, listener: Listener) -> list[MemoryOperation]:
        """Return what a milestone review would change in the whole memory; nothing when it is in order.

        Only ``merge``, ``revise``, ``retire`` and ``distil``. Raises as ``propose`` does."""

    async def summarise(self, brief: Brief, listener: Listener) -> str:
        """Return the conclusion of the run in Markdown."""

    async def aclose(self) -> None:
        """Let go of what is held for the running event loop: called at the end of each drive."""


class Earlier(Value):
    """A result that a tool gave before, and when (ISO 8601, UTC)."""

    result: ToolResult
    at: str


class Journal(Protocol):
    """The event log of one run, the record of its effects and the place where it asks people.

    Every method that writes raises ``Fenced`` once the worker's lease is over.
    """

    run_id: str
    """The run's id: with an effect's key it names the effect for services that honour idempotency keys."""

    async def emit(
        self, kind: str, payload: dict[str, Any], *, round: int | None = None, key: str | None = None
    ) -> None:
        """Note an event: it is stored in order with the next effect, gate, filing or checkpoint, in the same
        transaction as that. With ``key`` it is stored once. Raises ``ValueError`` for what is no event."""

    async def store(self) -> None:
        """Store what is noted so far: before work that takes long and is no effect, so that people see it."""

    async def once(
        self,
        key: str,
        call: Callable[[], Awaitable[dict[str, Any]]],
        *,
        effect: EffectClass,
        request: dict[str, Any],
        attempt: int = 1,
    ) -> dict[str, Any]:
        """Do an effect at most once and return its JSON result. A finished one is returned, not repeated; a
        started one is repeated only when ``effect`` allows it, else ``OutcomeUnknown``. Raises ``Refused``
        when the run was stopped."""

    async def heed_stop(self) -> None:
        """Raise ``Stopped`` when a person has asked to stop the run for good; asked while a model is silent."""

    async def ask(self, request: GateRequest) -> Answer | None:
        """Open the gate (once) and return its answer, or None while people have not answered."""

    async def guidance_after(self, seq: int) -> list[Guidance]:
        """Return guidance given after event ``seq``, oldest first."""

    async def settle(self, key: str, attempt: int, result: dict[str, Any] | None) -> None:
        """Close an effect of unknown outcome by a person's word: with its result, or None: it did not happen."""

    async def earlier(self, action: Action, *, version: str) -> Earlier | None:
        """Return the newest result that this version of the tool gave in the study for exactly ``action``."""

    async def vetoes(self) -> list[Veto]:
        """Return every action that people refused in this run, oldest first."""

    async def think(self, text: str) -> None:
        """Show a piece of model output to people watching; not kept. Empty text starts anew."""

    async def spent(self) -> Spent:
        """Return what the run has used, from its rows."""

    async def budget(self) -> Budget:
        """Return the run's limits as they stand now: people may have changed them since the drive began."""

    async def charge(self, usage: ModelUsage, *, round: int) -> None:
        """Record a model call and its cost."""


class Ledger(Protocol):
    """All experiments of the study: past, of sibling runs that share it, and of this run."""

    async def rows(self) -> list[Experiment]:
        """Return every row, oldest first."""

    async def file(
        self, experiment: Experiment, *, key: str, prediction: dict[str, Any] | None = None
    ) -> Experiment:
        """Add a row once for ``key`` and return it as stored (id and replicate number filled in)."""


class Toolbox(Protocol):
    """The tools one study may use."""

    def specs(self) -> list[ToolSpec]:
        """Return the allowed tools, by name."""

    def check(self, action: Action) -> CheckedAction:
        """Validate before: return typed arguments with coercions recorded. Raises ``BadInput`` with problems
        that name field, expected and received; an unknown tool lists the tools and the nearest name."""

    def resolve(self, item: Item, results: Mapping[int, tuple[str, Any]]) -> CheckedAction:
        """Return the action of a workflow's item with its references replaced by what earlier steps gave
        (tool and data by step), checked. Raises ``BadInput`` when a value is missing or does not pass."""

    def check_result(self, tool: str, data: dict[str, Any]) -> dict[str, Any]:
        """Validate a result that a person entered against the tool's output schema. Raises ``BadInput``."""

    async def call(self, action: Action, *, idempotency_key: str) -> ToolResult:
        """Run a checked action, validate after, never raise for the tool's own faults."""

    def experiment_from(self, action: Action, data: dict[str, Any]) -> Experiment | None:
        """Return the ledger row (``id`` empty) that a result of an experiment tool stands for, else None."""


class FindingStore(Protocol):
    """Long-term findings. An index only: the rows are the truth and can rebuild it."""

    async def add(self, finding: Finding) -> None:
        """Index an active or vetoed finding; the same id replaces."""

    async def remove(self, finding_id: str) -> None:
        """Stop retrieving it (superseded or retracted)."""

    async def search(
        self,
        query: str,
        *,
        study_ids: list[str] | None,
        limit: int = 5,
        status: str = "active",
        among: list[str] | None = None,
    ) -> list[FoundFinding]:
        """Return the nearest findings by meaning, best first, within the given studies (None: all), and of them only
        those ``among`` these ids when given."""

    async def count(self) -> int:
        """Return how many findings are indexed."""

    async def model(self) -> tuple[str, int]:
        """Return the name of the embedding model in use and the length of its vectors."""


class PassageStore(Protocol):
    """The text of the study's documents, by passage."""

    async def search(self, query: str, *, limit: int = 5) -> list[Passage]:
        """Return the passages that fit the query best."""


class FindingBook(Protocol):
    """The findings of the study as rows."""

    async def active(self) -> list[Finding]:
        """Return the run's active findings, strongest first."""

    async def strongest(self, limit: int) -> list[Finding]:
        """Return at most ``limit`` of the active findings, strongest first."""

    async def rules(self) -> list[Finding]:
        """Return the rules over several runs that this run is told of, oldest first."""

    async def whole(self) -> WholeMemory:
        """Return everything that a milestone review looks at."""

    async def contradictions(self) -> list[Contradiction]:
        """Return the pairs of active findings that contradict each other and were not settled, oldest first."""

    async def vetoed(self) -> list[Veto]:
        """Return what people refused in the other runs of the study: negative knowledge, oldest first."""

    async def apply(self, operations: list[MemoryOperation], *, round: int, key: str) -> list[Finding]:
        """Apply operations once for ``key``; keep old versions; return the findings that changed."""


class HistoryStore(Protocol):
    """Everything that a run has seen: for a run that re-reads."""

    async def read(self) -> History:
        """Return documents and rounds in full."""


class Clock(Protocol):
    """Time and new ids."""

    def now(self) -> str:
        """Return the time in UTC as ISO 8601."""

    def new_id(self) -> str:
        """Return a new unique id (32 hex digits)."""
