"""``merge_findings`` and ``distil_rule``: what a milestone review proposes beside new wordings."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.library import SCOPE_LIMIT, TEXT_LIMIT
from agents.core.memory import MILESTONE_TOOLS
from agents.core.proposal import RunEvidence
from agents.core.rules import LEAST_SOURCES
from agents.core.tools import EffectClass
from agents.tools.context import run_id
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool

NamedFindings = Callable[[str, Sequence[str]], Awaitable[dict[str, Finding]]]
"""``named(run_id, names)``: the active findings among ``F3`` (of the run) and ``2/F3`` (of run 2 of its study)."""

Own = Annotated[str, Field(pattern=r"^F[1-9][0-9]{0,5}$", description="As shown, e.g. F3.")]
Any_ = Annotated[str, Field(pattern=r"^(?:[1-9][0-9]{0,5}/)?F[1-9][0-9]{0,5}$")]
Reason = Annotated[str, Field(min_length=8, max_length=500)]


class Merged(BaseModel):
    """What was let through: the finding that stands, and the one that it takes in."""

    finding: str
    text: str
    other: str
    other_text: str
    reason: str


class Distilled(BaseModel):
    """What was let through: the rule with what it rests on."""

    text: str
    sources: list[str]
    texts: list[str]
    runs: list[int]
    scope: str
    reason: str


def milestone_tools(named: NamedFindings) -> list[Tool]:
    """Return both tools; the engine applies their operations once a call was let through and is done."""

    @tool(category="memory", effect=EffectClass.LOCAL, in_process=True, may_repeat=True)
    async def merge_findings(finding: Own, other: Own, reason: Reason) -> Merged:
        """Make one of two findings of this run that say the same: the first stands, with the evidence of both."""
        if finding == other:
            raise BadInput(f"field other: {other} cannot be merged with itself; name another finding")
        known = await _known(named, [finding, other])
        return Merged(
            finding=finding,
            text=known[finding].text,
            other=other,
            other_text=known[other].text,
            reason=reason,
        )

    @tool(category="memory", effect=EffectClass.LOCAL, in_process=True, may_repeat=True)
    async def distil_rule(
        text: Annotated[str, Field(min_length=8, max_length=TEXT_LIMIT)],
        reason: Reason,
        sources: Annotated[
            list[Any_], Field(max_length=50, description="Findings: F3, or 2/F3 of run 2.")
        ] = [],  # noqa: B006 (a pydantic default is copied)
        runs: Annotated[
            list[RunEvidence], Field(max_length=200, description="Runs whose experiments show it.")
        ] = [],  # noqa: B006
        scope: Annotated[
            str, Field(max_length=SCOPE_LIMIT, description="Under which conditions it holds.")
        ] = "",
    ) -> Distilled:
        """File a rule that several findings or runs bear out, for later runs. Nobody is told of it unread."""
        known = await _known(named, sources)
        count = len(set(sources)) + sum(each.stance == "for" for each in runs)
        if count < LEAST_SOURCES:
            raise BadInput(
                f"field sources: a rule rests on at least {LEAST_SOURCES} findings or runs; this one on {count}"
            )
        return Distilled(
            text=text,
            sources=sources,
            texts=[known[name].text for name in sources],
            runs=[each.run for each in runs],
            scope=scope,
            reason=reason,
        )

    made = [tool_of(merge_findings), tool_of(distil_rule)]
    assert tuple(each.spec.name for each in made) == MILESTONE_TOOLS
    return made


async def _known(named: NamedFindings, names: Sequence[str]) -> dict[str, Finding]:
    known = await named(run_id(), names)
    missing = [name for name in names if name not in known]
    if missing:
        raise BadInput(f"there is no active finding {', '.join(missing)}; look at the findings again")
    return known
