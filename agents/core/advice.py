"""What a reviewing model says of a proposal before people decide."""

from typing import Literal

from pydantic import Field

from agents.core.science import Value


class Advice(Value):
    """A leaning with its reasons. It decides nothing unless a rule of the policy says so."""

    leans: Literal["approve", "veto", "unsure"]
    reasons: list[str] = Field(min_length=1, max_length=6)
