"""``recall_findings``: what this and earlier runs found out."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.findings import Finding
from agents.core.tools import EffectClass
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool

FindingSearch = Callable[[str, int], Awaitable[list[Finding]]]
"""``search(query, limit)``: findings that fit the query, best first."""


class RecalledFinding(BaseModel):
    """A finding with how sure it is."""

    id: str
    text: str
    confidence: float
    support: int
    against: int
    status: str
    scope: str = ""


class RecalledFindings(BaseModel):
    """Findings, best first. ``note`` says so when nothing known answers the question."""

    findings: list[RecalledFinding]
    note: str = ""


def finding_tool(search: FindingSearch) -> Tool:
    """Return the tool that asks ``search``."""

    @tool(category="memory", effect=EffectClass.LOCAL, in_process=True)
    async def recall_findings(
        query: Annotated[str, Field(min_length=1, max_length=500)],
        limit: Annotated[int, Field(ge=1, le=10)] = 5,
    ) -> RecalledFindings:
        """Recall findings of this and earlier studies by meaning, with their confidence."""
        found = await search(query, limit)
        names = RecalledFinding.model_fields
        return RecalledFindings(
            note="" if found else "Nothing known answers this.",
            findings=[
                RecalledFinding(**{name: getattr(each, name) for name in names}) for each in found[:limit]
            ],
        )

    return tool_of(recall_findings)
