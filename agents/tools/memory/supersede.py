"""``supersede_finding``: puts a better wording, or nothing, in place of a finding. A person decides."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.memory import SUPERSEDE
from agents.core.tools import EffectClass
from agents.tools.context import run_id
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool

ActiveFindings = Callable[[str], Awaitable[list[Finding]]]
"""``active(run_id)``: the findings that the run holds to be true."""


class Superseded(BaseModel):
    """What was let through: the finding as it was, and what takes its place (empty: nothing)."""

    finding: str
    before: str
    after: str
    reason: str


def supersede_tool(active: ActiveFindings) -> Tool:
    """Return the tool; the engine applies the operation once its call was let through and is done."""

    @tool(category="memory", effect=EffectClass.LOCAL, in_process=True, needs_review=True)
    async def supersede_finding(
        finding: Annotated[str, Field(pattern=r"^F[1-9][0-9]{0,5}$", description="As shown, e.g. F3.")],
        reason: Annotated[str, Field(min_length=8, max_length=500)],
        text: Annotated[str, Field(max_length=2000, description="The new wording; empty retires it.")] = "",
        evidence: Annotated[list[int], Field(max_length=50, description="Rounds that show it.")] = [],  # noqa: B006 (a pydantic default is copied)
    ) -> Superseded:
        """Replace the wording of a finding of this run, or retire it; its old versions are kept.

        A person decides on every call.
        """
        known = {each.id: each for each in await active(run_id())}
        if finding not in known:
            names = ", ".join(sorted(known, key=lambda name: int(name[1:]))) or "none"
            raise BadInput(f"field finding: {finding} is no active finding of this run; those are: {names}")
        before = known[finding].text
        if text.strip() == before:
            raise BadInput("field text: this is what the finding says already; say what is to change")
        return Superseded(finding=finding, before=before, after=text.strip(), reason=reason)

    made = tool_of(supersede_finding)
    assert made.spec.name == SUPERSEDE
    return made
