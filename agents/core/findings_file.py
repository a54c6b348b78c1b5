"""Findings as a file that another Daybook takes in: JSON, ids kept, nothing trusted."""

import json
from typing import Any, Literal

from pydantic import Field, ValidationError

from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.library import SCOPE_LIMIT
from agents.core.science import Value
from agents.core.text import clean_value

FORMAT = "daybook-findings"
MOST, SIZE_LIMIT = 10_000, 10 * (1 << 20)
TEXT_LIMIT, EVIDENCE_LIMIT, VERSION_LIMIT = 10_000, 5_000, 1_000


class FiledVersion(Value):
    """What a finding said before."""

    version: int = Field(ge=1)
    text: str = Field(max_length=TEXT_LIMIT)
    scope: str = Field(default="", max_length=SCOPE_LIMIT)
    confidence: float = Field(ge=0, le=1)
    status: str = Field(max_length=12)
    reason: str = Field(default="", max_length=TEXT_LIMIT)
    by: str = Field(default="", max_length=150)
    at: str = Field(default="", max_length=40)


class FiledFinding(Finding):
    """A finding as it is written down. ``id`` is that of its row, also after it was imported elsewhere."""

    id: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=1, max_length=TEXT_LIMIT)
    scope: str = Field(default="", max_length=SCOPE_LIMIT)
    domain: str = Field(default="", max_length=120)
    support: int = Field(default=1, ge=0, le=1_000_000)
    against: int = Field(default=0, ge=0, le=1_000_000)
    version: int = Field(default=1, ge=1, le=1_000_000)
    replaced_by: str = Field(default="", max_length=80)
    evidence: list[dict[str, Any]] = Field(default_factory=list, max_length=EVIDENCE_LIMIT)
    number: int = Field(default=0, ge=0)
    study: str = Field(default="", max_length=200)
    run: int | None = None
    versions: list[FiledVersion] = Field(default_factory=list, max_length=VERSION_LIMIT)


class FindingsFile(Value):
    """The whole file."""

    format: Literal["daybook-findings"] = "daybook-findings"
    version: Literal[1] = 1
    findings: list[FiledFinding] = Field(max_length=MOST)


def read_findings(content: bytes) -> list[FiledFinding]:
    """Return the findings of a file. Raises ``BadInput`` that says where it is not what it should be."""
    if len(content) > SIZE_LIMIT:
        raise BadInput(f"The file has {len(content):,} bytes; at most {SIZE_LIMIT:,} are read. Export fewer.")
    try:
        data = json.loads(content.decode("utf-8-sig"))
        # Numbers that no database keeps, and nesting that no reader follows.
        json.dumps(data, allow_nan=False)
    except (ValueError, RecursionError) as fault:
        raise BadInput(
            f"The file is no JSON ({fault}). Choose one that `manage.py findings export` or the findings page wrote."
        ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadInput(f'The file is no export of findings: it lacks "format": "{FORMAT}".')
    try:
        found = FindingsFile.model_validate(clean_value(data)).findings
    except ValidationError as fault:
        told = [f"{_place(error['loc'])}: {error['msg']}" for error in fault.errors()[:5]]
        more = f" and {fault.error_count() - 5} more" if fault.error_count() > 5 else ""
        raise BadInput("The file cannot be read. " + "; ".join(told) + more + ".") from None
    seen: set[str] = set()
    for number, each in enumerate(found, start=1):
        if each.id in seen:
            raise BadInput(f"Finding {number}: the id {each.id} stands in the file twice.")
        seen.add(each.id)
    return found


def _place(loc: tuple[int | str, ...]) -> str:
    parts = [
        f"finding {part + 1}" if isinstance(part, int) and n == 1 else str(part) for n, part in enumerate(loc)
    ]
    return " → ".join(part for part in parts if part != "findings") or "the file"
