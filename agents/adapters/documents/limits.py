"""How much a document may cost to read."""

from pydantic import Field

from agents.core.science import Value


class ReadLimits(Value):
    """Limits of one reading. ``seconds`` is wall time; ``memory_mb`` is the child's whole address space."""

    max_bytes: int = Field(default=50_000_000, gt=0)
    max_pages: int = Field(default=300, gt=0)
    max_characters: int = Field(default=4_000_000, gt=0)
    seconds: float = Field(default=20.0, gt=0)
    memory_mb: int = Field(default=512, ge=256)
