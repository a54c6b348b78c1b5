"""The tables: fields, constraints, thin."""

from agents.models.checkpoint import Checkpoint, CheckpointBlob, CheckpointWrite
from agents.models.memory import Artifact, Experiment, Finding, FindingChange, FindingVersion
from agents.models.outside import Job, SourceTool, ToolChange, ToolSource
from agents.models.policy import PolicyVersion, RememberedApproval
from agents.models.results import KeptResult
from agents.models.run import Effect, Event, Gate, Run, Thought
from agents.models.study import Dataset, DigestItem, Document, Passage, Study

__all__ = [
    "Artifact",
    "Checkpoint",
    "CheckpointBlob",
    "CheckpointWrite",
    "Dataset",
    "DigestItem",
    "Document",
    "Effect",
    "Event",
    "Experiment",
    "Finding",
    "FindingChange",
    "FindingVersion",
    "Gate",
    "Job",
    "KeptResult",
    "Passage",
    "PolicyVersion",
    "RememberedApproval",
    "Run",
    "SourceTool",
    "Study",
    "Thought",
    "ToolChange",
    "ToolSource",
]
