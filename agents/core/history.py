"""Everything a run has seen, for those who would rather re-read than remember."""

from pydantic import Field

from agents.core.science import Value


class Source(Value):
    """A document of the study in full, as text with its pages marked."""

    name: str
    text: str


class History(Value):
    """The study's documents and every round's record in full, oldest first."""

    documents: list[Source] = Field(default_factory=list)
    rounds: list[str] = Field(default_factory=list)
