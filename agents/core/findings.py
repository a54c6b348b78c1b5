"""Distilled claims with their evidence."""

from typing import Any, Literal

from pydantic import Field

from agents.core.science import Value

BEST_SO_FAR = "Best so far"
"""Opens the finding that only says what was measured best: a fact of the ledger, replaced when it is beaten."""


def is_belief(text: str, status: str) -> bool:
    """Return True for a claim that evidence makes more or less likely: a refused idea and a record are none."""
    return status != "vetoed" and not text.startswith(f"{BEST_SO_FAR}: ")


class Finding(Value):
    """A claim of one study, or a rule that several experiments or findings bear out. ``evidence`` holds dicts {"round", "experiment", "event", "stance", "missing",
    "finding"}: ``missing`` are the numbers of the text that no cited record prints, ``finding`` is another finding
    that contradicts this one (stance ``conflict``, or ``settled`` once it does no more).

    Evidence that came from another finding names that one's ``run`` too. Only ``active`` findings are facts;
    ``vetoed`` ones are negative knowledge, ``unreviewed`` ones came from a file, or are rules that nobody has read
    yet or that data speaks against: they wait for a person.
    """

    id: str
    study_id: str
    run_id: str = ""
    text: str
    confidence: float = Field(default=0.5, ge=0, le=1)
    support: int = 1
    against: int = 0
    status: Literal["active", "superseded", "retracted", "vetoed", "unreviewed"] = "active"
    kind: Literal["finding", "rule"] = "finding"
    reach: Literal["study", "domain"] = "study"
    """Which later runs are told of a rule: those of its study, or of every study of its domain on this site."""
    scope: str = ""
    domain: str = ""
    evidence: list[dict[str, Any]] = Field(default_factory=list)
    round: int | None = None
    version: int = 1
    replaced_by: str = ""
    created: str = ""
    """ISO 8601 time in UTC."""

    @property
    def unverified(self) -> list[str]:
        """The numbers of the present text that stand in none of the records it cites."""
        checked = [item["missing"] for item in self.evidence if "missing" in item]
        return [str(number) for number in checked[-1]] if checked else []


class FoundFinding(Value):
    """A search hit. ``score`` runs from 0 to 1, best first."""

    finding_id: str
    score: float
