"""The protocol of a study as a run carries it: frozen when the run starts."""

from typing import Literal

from pydantic import Field

from agents.core.budget import Budget
from agents.core.digest import DigestItem
from agents.core.outside import OutsideSource
from agents.core.science import Constraint, Objective, Space, Value

RUN_PYTHON = "run_python"
"""The tool that executes Python in the sandbox; a study has it only when its owner says so."""

MOST_AT_ONCE = 8
"""The most experiments that a study asks for in one list."""

MOST_BETWEEN_MILESTONES = 1000

MemoryMode = Literal["distilled", "full_history"]
ReasonerName = Literal["optimiser", "language_model"]


class DocumentRef(Value):
    """A document of the study: its row, content hash and length."""

    id: str
    name: str
    content_hash: str
    pages: int = 0


class DatasetRef(Value):
    """An uploaded table. ``columns`` maps a parameter or objective name to the column that holds it.

    ``levels`` maps, by parameter, the text in the file to the level of the space (e.g. SMILES → name).
    """

    id: str
    name: str
    content_hash: str
    role: Literal["instrument", "past", "reference"] = "reference"
    columns: dict[str, str] = Field(default_factory=dict)
    levels: dict[str, dict[str, str]] = Field(default_factory=dict)
    rows: int = 0


class StudyProtocol(Value):
    """What a run works to: copied from the study, so that later edits do not change a running run."""

    study_id: str
    title: str
    goal: str
    domain: str = ""
    language: Literal["en", "zh-hans"] = "en"
    documents: list[DocumentRef] = Field(default_factory=list)
    datasets: list[DatasetRef] = Field(default_factory=list)
    digest: list[DigestItem] = Field(default_factory=list)
    """The items the researcher kept."""
    space: Space = Field(default_factory=Space)
    objectives: list[Objective] = Field(default_factory=list)
    constraints: list[Constraint] = Field(default_factory=list)
    tools: list[str] = Field(default_factory=list)
    """Names of the allowed tools; empty allows every built-in tool that the study can use."""
    experiment_tool: str = ""
    """The tool that performs the study's experiments: ``measure`` (dataset) or ``ask_researcher``."""
    outside: list[OutsideSource] = Field(default_factory=list)
    """Sources of tools from outside with the tools that an owner switched on."""
    runs_code: bool = False
    """True when Python that a model wrote may run in the sandbox."""
    reasoner: ReasonerName = "optimiser"
    batch: int = Field(default=1, ge=1, le=MOST_AT_ONCE)
    """How many experiments the optimiser proposes as one list, where the machine performs them."""
    milestones: int = Field(default=0, ge=0, le=MOST_BETWEEN_MILESTONES)
    """Rounds from one milestone review of the whole memory to the next; 0 for none."""
    policy: str = "every_step"
    budget: Budget = Field(default_factory=Budget)
    initial_hypothesis: str = ""
    memory: MemoryMode = "distilled"
    """``distilled``: a compact memory; ``full_history``: documents and every round in full at every step, for
    comparison. The optimiser reads the ledger either way."""
    seed: int = 0
